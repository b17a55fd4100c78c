package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		kind fault.Kind
	}{
		{fault.Corruptf("rule %d", 1), fault.Corrupt},
		{fault.Checksumf("sum"), fault.Checksum},
		{fault.Unsupportedf("filter"), fault.Unsupported},
		{&fault.Error{Kind: fault.Window, Needed: 2, Allowed: 1}, fault.Window},
		{&fault.Error{Kind: fault.Tables, Needed: 2, Allowed: 1}, fault.Tables},
	} {
		for kind := fault.Corrupt; kind <= fault.Tables; kind++ {
			if got, want := errors.Is(tc.err, kind), kind == tc.kind; got != want {
				t.Errorf("%v is %v: got %v, want %v", tc.err, kind, got, want)
			}
		}
		if fmt.Sprint(tc.err) == "" {
			t.Errorf("kind %v: no text", tc.kind)
		}
	}
}
