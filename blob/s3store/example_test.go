package s3store_test

import (
	"context"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/s3store"
)

// A program passes the client that it has.
func ExampleNew() {
	ctx := context.Background()
	client := s3.New(s3.Options{Region: "eu-west-1"}) // and credentials
	store := blob.New(s3store.New(client, "logs", nil), nil)
	defer store.Close()
	for obj, err := range store.List(nil).Objects(ctx, blob.Mark{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(obj.Key, obj.Version, obj.Archive)
	}
}
