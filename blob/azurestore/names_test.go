package azurestore_test

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/azurestore"
)

// An object has one name for good, whether a client or a URL leads to it, and none
// holds a signature.
func TestNames(t *testing.T) {
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=2024-11-04&sig="+secret)
	const name, object = "azblob://logs", "azblob://acme/logs/2026/a.gz"
	for why, address := range map[string]string{
		"the account stands in front of the domain":     "https://acme.blob.core.windows.net/logs?sig=" + secret,
		"an emulator has it above the container's name": "http://127.0.0.1:10000/acme/logs?sig=" + secret,
	} {
		client, err := container.NewClientWithNoCredential(address, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := blob.New(azurestore.New(client, nil), nil)
		if s.Name() != name || s.ObjectName("2026/a.gz") != object {
			t.Errorf("%s: got %q and %q, want %q and %q", why, s.Name(), s.ObjectName("2026/a.gz"), name, object)
		}
	}
	s, err := blob.Open(t.Context(), "azblob://logs/2026/?storage_account=acme", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.ObjectName("a.gz"); got != object {
		t.Errorf("by URL: got %q, want %q", got, object)
	}
}
