package allstores_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/allstores"
)

func TestSchemes(t *testing.T) {
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=2024-11-04&sig=c2ln")
	for _, url := range []string{
		"file:///" + strings.TrimPrefix(filepath.ToSlash(t.TempDir()), "/"),
		"mem:",
		"s3://bucket?region=eu-west-1&anonymous=true",
		"gs://bucket?anonymous=true",
		"azblob://container?storage_account=account",
	} {
		store, err := blob.Open(t.Context(), url, nil)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		store.Close()
	}
}
