package simstore_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/blob/simstore"
)

func ExampleNew() {
	link, err := simstore.ParseLink("ttfb=5ms,conn=85MB/s,total=1GB/s")
	if err != nil {
		log.Fatal(err)
	}
	store := blob.New(simstore.New(memstore.New(), link), &blob.Options{Name: "far away"})
	defer store.Close()

	start := time.Now()
	_, err = store.Stat(context.Background(), "nothing")
	fmt.Println(err)
	fmt.Println("waited for the link:", time.Since(start) >= link.FirstByte)
	// Output:
	// blob: stat far away "nothing": file does not exist
	// waited for the link: true
}

// A store that was opened by URL is put behind a link before it is used.
func ExampleNew_opened() {
	ctx := context.Background()
	store, err := blob.Open(ctx, "mem:")
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	store.Wrap(simstore.Link{FirstByte: 5 * time.Millisecond}.Over)
	fmt.Println("local:", store.Traits().Local)
	// Output:
	// local: false
}
