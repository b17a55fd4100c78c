package azurestore_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob/azurestore"
	"github.com/thaw-go/thaw/blob/internal/httpstore/httpstoretest"
)

// serve is a container whose service is answer. Its client is as a program makes
// one, with the retries and the transport of the library.
func serve(t *testing.T, answer http.HandlerFunc) (*httpstoretest.Server, *azurestore.Driver) {
	t.Helper()
	s := httpstoretest.Serve(t, answer)
	return s, open(t, s.URL, s.Transport)
}

// secret is the signature that clients sign with.
const secret = "c2VjcmV0c2lnbmF0dXJl"

// open is the container "c" behind an endpoint.
func open(t *testing.T, url string, tr http.RoundTripper) *azurestore.Driver {
	t.Helper()
	opts := &container.ClientOptions{}
	opts.Transport = &http.Client{Transport: tr}
	client, err := container.NewClientWithNoCredential(url+"/account/c?sig="+secret, opts)
	if err != nil {
		t.Fatal(err)
	}
	return azurestore.New(client, nil)
}

// refuse answers with a code of the service.
func refuse(w http.ResponseWriter, status int, code string) {
	if code != "" {
		w.Header().Set("x-ms-error-code", code)
	}
	w.WriteHeader(status)
}

// wantClass expects err to be of one class alone, without credentials; nil is class
// other.
func wantClass(t *testing.T, name string, err, want error) {
	t.Helper()
	httpstoretest.WantClass(t, name, err, want)
	if err != nil && (strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n")) {
		t.Errorf("%s: got credentials or several lines in %q", name, err)
	}
}
