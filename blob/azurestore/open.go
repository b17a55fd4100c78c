package azurestore

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/thaw-go/thaw/blob/driver"
	"github.com/thaw-go/thaw/blob/internal/badurl"
	"github.com/thaw-go/thaw/blob/internal/httpstore"
)

func init() { driver.Register("azblob", openURL) }

// openURL opens "azblob://container/folder/?parameter=…".
func openURL(ctx context.Context, u *url.URL) (*driver.Opened, error) {
	if u.Opaque != "" || u.User != nil || u.Host == "" || u.Port() != "" {
		return nil, badurl.Errorf("a URL of Azure Blob Storage is azblob://container or azblob://container/folder/")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	acct := fromEnvironment()
	if err := acct.override(u.Query()); err != nil {
		return nil, err
	}
	transport := httpstore.Transport()
	client, err := acct.client(u.Host, transport)
	if err != nil {
		return nil, err
	}
	d := New(client, nil)
	d.transport, d.account = transport, acct.name
	return &driver.Opened{Driver: d, Key: strings.TrimPrefix(u.Path, "/")}, nil
}

// client makes the client of a container, with the first credentials that are set: an
// account key, a shared access signature, a connection string, else the default
// identity.
func (a *account) client(name string, transport *http.Transport) (*container.Client, error) {
	opts := &container.ClientOptions{}
	opts.Transport = &http.Client{Transport: transport}
	opts.Telemetry = policy.TelemetryOptions{ApplicationID: "thaw"}
	hasKey := a.key != "" && a.name != "" // a key is of an account
	if !hasKey && a.sas == "" && a.connection != "" {
		client, err := container.NewClientFromConnectionString(a.connection, name, opts)
		if err != nil {
			return nil, fmt.Errorf("the connection string is malformed")
		}
		return client, nil
	}
	service, err := a.url()
	if err != nil {
		return nil, err
	}
	target := service + "/" + url.PathEscape(name)
	switch {
	case hasKey:
		cred, err := container.NewSharedKeyCredential(a.name, a.key)
		if err != nil {
			return nil, fmt.Errorf("the account key is no base64 text")
		}
		return container.NewClientWithSharedKeyCredential(target, cred, opts)
	case a.sas != "":
		client, err := container.NewClientWithNoCredential(target+"?"+strings.TrimPrefix(a.sas, "?"), opts)
		if err != nil {
			return nil, fmt.Errorf("the shared access signature is malformed")
		}
		return client, nil
	}
	identity := &azidentity.DefaultAzureCredentialOptions{}
	identity.Transport = opts.Transport
	cred, err := azidentity.NewDefaultAzureCredential(identity)
	if err != nil {
		return nil, fmt.Errorf("no credentials: %w", err)
	}
	return container.NewClient(target, cred, opts)
}
