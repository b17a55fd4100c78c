package gcsstore_test

import (
	"context"
	"fmt"
	"log"

	"cloud.google.com/go/storage"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/gcsstore"
)

// A program passes the client that it has. It closes the client itself.
func ExampleNew() {
	ctx := context.Background()
	client, err := storage.NewClient(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	store := blob.New(gcsstore.New(client.Bucket("logs"), nil), nil)
	defer store.Close()
	for obj, err := range store.List(nil).Objects(ctx, blob.Mark{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(obj.Key, obj.Version)
	}
}
