package azurestore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/azurestore"
)

// A program passes the client that it has.
func ExampleNew() {
	ctx := context.Background()
	cred, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		log.Fatal(err)
	}
	client, err := container.NewClient("https://acme.blob.core.windows.net/logs", cred, nil)
	if err != nil {
		log.Fatal(err)
	}
	store := blob.New(azurestore.New(client, nil), nil)
	defer store.Close()
	for obj, err := range store.List(nil).Objects(ctx, blob.Mark{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(obj.Key, obj.Version, obj.Archive)
	}
}
