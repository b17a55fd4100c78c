package stream_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// The classes, their names and what leads to each. The names are part of the
// manifest format.
func TestClasses(t *testing.T) {
	tests := []struct {
		class stream.Class
		name  string
		err   error
	}{
		{stream.ClassOther, "other", io.ErrClosedPipe},
		{stream.ClassMissing, "missing", fs.ErrNotExist},
		{stream.ClassDenied, "denied", fs.ErrPermission},
		{stream.ClassArchived, "archived", blob.ErrArchived},
		{stream.ClassChanged, "changed", blob.ErrChanged},
		{stream.ClassTransient, "transient", blob.ErrTransient},
		{stream.ClassTruncated, "truncated", io.ErrUnexpectedEOF},
		{stream.ClassCorrupt, "corrupt", codec.ErrCorrupt},
		{stream.ClassChecksum, "checksum", codec.ErrChecksum},
		{stream.ClassTrailing, "trailing", codec.ErrTrailing},
		{stream.ClassLimit, "limit", &codec.LimitError{What: "window", Needed: 2, Allowed: 1}},
		{stream.ClassDictionary, "dictionary", codec.ErrDictionary},
		{stream.ClassUnsupported, "unsupported", codec.ErrUnsupported},
		{stream.ClassOversized, "oversized", frame.ErrTooLong},
		{stream.ClassBadRecord, "bad_record", frame.ErrRecord},
		{stream.ClassSinkFailed, "sink_failed", nil},
		{stream.ClassCanceled, "canceled", context.Canceled},
		{stream.ClassConflict, "conflict", stream.ErrOwner},
		{stream.ClassInvalid, "invalid", fs.ErrInvalid},
	}
	for i, tt := range tests {
		if int(tt.class) != i || tt.class.String() != tt.name {
			t.Errorf("class %d is %q, want %q", i, tt.class, tt.name)
		}
		text, err := tt.class.MarshalText()
		var back stream.Class
		if err != nil || back.UnmarshalText(text) != nil || back != tt.class {
			t.Errorf("%s does not survive marshaling", tt.name)
		}
		if tt.err == nil {
			continue
		}
		if got := stream.ClassOf(fmt.Errorf("around: %w", tt.err)); got != tt.class {
			t.Errorf("%v is of class %v, want %v", tt.err, got, tt.class)
		}
	}
	if got := stream.Class(len(tests)).String(); got != fmt.Sprintf("class %d", len(tests)) {
		t.Errorf("a class beyond the enum is %q: the table is not complete", got)
	}
	// What a store returns for it is transient; the cause alone is too.
	if got := stream.ClassOf(blob.ErrRetryBudget); got != stream.ClassTransient {
		t.Errorf("a spent budget of retries is %v", got)
	}
	// A kind of record that is not read is no damage.
	if got := stream.ClassOf(fmt.Errorf("%w: %w: %w", frame.ErrRecord, frame.ErrUnsupported, frame.ErrNoResync)); got != stream.ClassUnsupported {
		t.Errorf("a record of a kind that is not read is %v", got)
	}
	// A connection lost in a body: worth another try before it is called short.
	if got := stream.ClassOf(fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, blob.ErrTransient)); got != stream.ClassTransient {
		t.Errorf("a lost connection is %v", got)
	}
}
