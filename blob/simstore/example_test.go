package simstore_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/driver"
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

// A store that is opened by URL is read over a link.
func ExampleNew_opened() {
	ctx := context.Background()
	store, err := blob.Open(ctx, "mem:", &blob.OpenOptions{
		Wrap: func(d driver.Driver) driver.Driver {
			return simstore.New(d, simstore.Link{FirstByte: 5 * time.Millisecond})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	fmt.Println("local:", store.Traits().Local)
	// Output:
	// local: false
}
