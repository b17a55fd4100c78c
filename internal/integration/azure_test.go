package integration_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/blob/azurestore"
	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/driver/drivertest"
)

const (
	// azurite is the emulator's package. Later versions want Node 21.
	azurite = "azurite@3.35.0"

	// The account that the emulator has from the start, with its published key.
	azuriteAccount = "devstoreaccount1"
	azuriteKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// azureLacks is what the service, or Azurite in its place, cannot do.
var azureLacks = map[drivertest.Ability]string{
	drivertest.AnyBytes: "the service refuses keys that are not UTF-8",
	drivertest.OddKeys:  "the service or the server in its place refuses some of them",
	drivertest.Rights:   "rights are of a container, not of an object: see TestAzure/denied",
}

// azureRefuses are keys that the service does not take.
var azureRefuses = map[string]string{
	"back\\slash": "the service turns a backslash into a slash",
}

// azureServer is a running emulator.
type azureServer struct {
	addr       string
	containers atomic.Int64
}

// installAzurite gives the emulator's program. THAW_AZURITE names a folder in which
// npm has installed it already.
func installAzurite(t *testing.T) (program string) {
	t.Helper()
	dir := os.Getenv("THAW_AZURITE")
	if dir == "" {
		dir = t.TempDir()
		run(t, "npm", "install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", dir, azurite)
	}
	return filepath.Join(dir, "node_modules", "azurite", "dist", "src", "blob", "main.js")
}

func startAzure(t *testing.T) *azureServer {
	t.Helper()
	program := installAzurite(t)
	addr := freeAddress(t)
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	start(t, "http://"+addr+"/", "node", program,
		"--blobHost", host, "--blobPort", port, "--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry")
	return &azureServer{addr: addr}
}

// url is the URL of a container.
func (s *azureServer) url(name string) string {
	return fmt.Sprintf("http://%s/%s/%s", s.addr, azuriteAccount, name)
}

// client is a client of a container, signed with a key.
func (s *azureServer) client(t *testing.T, name, key string) *container.Client {
	t.Helper()
	cred, err := container.NewSharedKeyCredential(azuriteAccount, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := container.NewClientWithSharedKeyCredential(s.url(name), cred, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// container makes an empty container.
func (s *azureServer) container(t *testing.T) (name string, c *container.Client) {
	t.Helper()
	name = fmt.Sprintf("container-%d", s.containers.Add(1))
	c = s.client(t, name, azuriteKey)
	if _, err := c.Create(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return name, c
}

// harness is an empty container for package drivertest.
func (s *azureServer) harness(t *testing.T) drivertest.Harness {
	_, c := s.container(t)
	return drivertest.Harness{
		Driver:  azurestore.New(c, nil),
		Lacks:   azureLacks,
		Refuses: azureRefuses,
		PutEncoded: func(key string, data []byte, encoding string) error {
			return uploadEncoded(t, c, key, data, encoding)
		},
	}
}

func uploadEncoded(t *testing.T, c *container.Client, key string, data []byte, encoding string) error {
	_, err := c.NewBlockBlobClient(key).UploadBuffer(t.Context(), data, &blockblob.UploadBufferOptions{
		HTTPHeaders: &azblob.HTTPHeaders{BlobContentEncoding: &encoding},
	})
	return err
}

func TestAzure(t *testing.T) {
	s := startAzure(t)
	t.Setenv("AZURE_STORAGE_ACCOUNT", azuriteAccount)
	t.Setenv("AZURE_STORAGE_KEY", azuriteKey)
	t.Run("conformance", func(t *testing.T) {
		drivertest.Run(t, s.harness)
	})
	name, c := s.container(t)
	where := "?protocol=http&localemu=true&domain=" + s.addr
	store := openStore(t, "azblob://"+name+where)
	testJobs(t, store)
	t.Run("encoded", func(t *testing.T) {
		if err := uploadEncoded(t, c, "encoded", compress(t, []byte("one\ntwo\n")), "gzip"); err != nil {
			t.Fatal(err)
		}
		wantDecoded(t, store, "encoded")
	})
	t.Run("blocks", func(t *testing.T) { testBlocks(t, store) })
	t.Run("archive", func(t *testing.T) { testArchive(t, s) })
	t.Run("no such container", func(t *testing.T) {
		wantMissing(t, openStore(t, "azblob://no-such-container"+where))
	})
	t.Run("denied", func(t *testing.T) {
		wrong := "d3JvbmcgYWNjb3VudCBrZXk="
		wantDenied(t, blob.New(azurestore.New(s.client(t, name, wrong), nil), nil))
	})
}

// testBlocks writes an object of several blocks, which become one at once.
func testBlocks(t *testing.T, store *blob.Store) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
	absent := &blob.PutOptions{IfAbsent: true}
	version, err := store.Put(t.Context(), "blocks", bytes.NewReader(want), int64(len(want)), absent)
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.NewReader(t.Context(), "blocks", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) || r.Object().Version != version {
		t.Errorf("got %d bytes of version %q, %v, want %d of %q", len(got), r.Object().Version, err, len(want), version)
	}
	_, err = store.Put(t.Context(), "blocks", bytes.NewReader(want), int64(len(want)), absent)
	if !errors.Is(err, blob.ErrConflict) {
		t.Errorf("got %v, want %v", err, blob.ErrConflict)
	}
}

// testArchive moves an object into the archive and asks for it back. The emulator
// moves at once in both directions, and reads what is archived.
func testArchive(t *testing.T, s *azureServer) {
	_, c := s.container(t)
	d := azurestore.New(c, nil)
	if _, err := d.Put(t.Context(), "k", bytes.NewReader(nil), 0, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.NewBlobClient("k").SetTier(t.Context(), azblob.AccessTierArchive, nil); err != nil {
		t.Fatal(err)
	}
	wantState(t, d, driver.ArchiveArchived)
	if err := d.Restore(t.Context(), "k", driver.RestoreRequest{Tier: "High/Cool"}); err != nil {
		t.Fatal(err)
	}
	wantState(t, d, driver.ArchiveOnline)
}

// wantState expects Stat and listing to tell one state of the object "k".
func wantState(t *testing.T, d driver.Driver, want driver.ArchiveState) {
	t.Helper()
	obj, err := d.Stat(t.Context(), "k")
	if err != nil || obj.Archive != want {
		t.Errorf("stat: got %v, %v, want %v", obj.Archive, err, want)
	}
	for obj, err := range d.List(t.Context(), "", "") {
		if err != nil || obj.Archive != want {
			t.Errorf("list: got %v, %v, want %v", obj.Archive, err, want)
		}
	}
}
