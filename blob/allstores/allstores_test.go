package allstores_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/allstores"
)

func TestSchemes(t *testing.T) {
	for _, url := range []string{
		"file:///" + strings.TrimPrefix(filepath.ToSlash(t.TempDir()), "/"),
		"mem:",
		"s3://bucket?region=eu-west-1&anonymous=true",
	} {
		store, err := blob.Open(t.Context(), url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		store.Close()
	}
}
