package allstores_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/thaw-go/thaw/blob"
)

// A URL that makes no sense is fs.ErrInvalid, whatever its scheme, and nothing is
// asked of a service.
func TestMalformedURLs(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AZURE_STORAGE_ACCOUNT", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=2024-11-04&sig=c2ln")
	for what, urls := range map[string][]string{
		"no bucket":        {"s3:", "s3://", "gs:", "gs://", "azblob:", "azblob://", "file:", "file://"},
		"no slashes":       {"s3:b", "gs:b", "azblob:b", "file:b", "mem:b"},
		"a port":           {"s3://b:80/?region=r", "gs://b:80/?anonymous=true", "azblob://b:80/?storage_account=a"},
		"another host":     {"file://host/x", "mem://host/x"},
		"a user":           {"s3://u:p@b/", "gs://u:p@b/", "azblob://u:p@b/", "file://u:p@/x", "mem://u:p@/x"},
		"a parameter":      {"s3://b/?x=1&region=r", "gs://b/?x=1", "azblob://b/?x=1", "file:///x?x=1", "mem:///x?x=1"},
		"given twice":      {"s3://b/?region=r&region=r", "gs://b/?anonymous=true&anonymous=true", "azblob://b/?cdn=true&cdn=true", "file:///?create=true&create=true", "file:///?prefix=a&prefix=b"},
		"neither true nor": {"s3://b/?region=r&use_path_style=maybe", "gs://b/?anonymous=maybe", "azblob://b/?cdn=maybe", "file:///?create=maybe"},
		"what is needed":   {"s3://b/", "azblob://b/", "gs://b/?zonal=true&grpc=false"},
		"a bad escape":     {"s3://b/%zz", "gs://b/%zz", "azblob://b/%zz", "file:///%zz", "mem:///%zz"},
		"a fragment":       {"s3://b/#f", "gs://b/#f", "azblob://b/#f", "file:///x#f", "mem:///#f"},
		"a bad glob":       {"file:///[", "mem:///["}, // elsewhere an object may have the name
	} {
		for _, url := range urls {
			src, err := blob.OpenSource(t.Context(), url, nil)
			if err == nil {
				src.Store.Close()
			}
			if !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s, %s: got %v, want %v", what, url, err, fs.ErrInvalid)
			}
		}
	}
	if _, err := blob.OpenSource(t.Context(), "ftp://host/x", nil); !errors.Is(err, blob.ErrUnsupported) {
		t.Errorf("unknown scheme: got %v, want %v", err, blob.ErrUnsupported)
	}
}
