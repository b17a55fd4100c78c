package azurestore

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/blob/internal/badurl"
)

// account is a storage account and how to reach it.
type account struct {
	name       string
	key        string
	sas        string
	connection string // connection string
	domain     string
	protocol   string
	cdn        bool
	emulator   bool
}

// domains are those that an account's credentials are sent to. A URL may choose
// among them and the loopback interface, no more: it may come from a stranger.
var domains = []string{"blob.core.windows.net", "blob.core.usgovcloudapi.net", "blob.core.chinacloudapi.cn", "blob.core.cloudapi.de"}

// fromEnvironment reads the variables that gocloud.dev's azureblob reads.
func fromEnvironment() *account {
	a := &account{
		name:       os.Getenv("AZURE_STORAGE_ACCOUNT"),
		key:        os.Getenv("AZURE_STORAGE_KEY"),
		sas:        os.Getenv("AZURE_STORAGE_SAS_TOKEN"),
		connection: os.Getenv("AZURE_STORAGE_CONNECTION_STRING"),
		domain:     os.Getenv("AZURE_STORAGE_DOMAIN"),
		protocol:   os.Getenv("AZURE_STORAGE_PROTOCOL"),
	}
	if a.connection == "" {
		a.connection = os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING")
	}
	a.cdn, _ = strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_CDN"))
	a.emulator, _ = strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_LOCAL_EMULATOR"))
	return a
}

// override takes the parameters of a URL.
func (a *account) override(q url.Values) (err error) {
	for name, values := range q {
		if len(values) > 1 {
			return badurl.Errorf("parameter %s is given twice", name)
		}
		var bad error
		switch value := values[0]; name {
		case "domain":
			a.domain = value
		case "protocol":
			a.protocol = value
		case "cdn":
			a.cdn, bad = strconv.ParseBool(value)
		case "localemu":
			a.emulator, bad = strconv.ParseBool(value)
		case "storage_account":
			a.name = value
		default:
			return badurl.Errorf("unknown parameter %q", name)
		}
		if bad != nil {
			return badurl.Errorf("parameter %s is true or false", name)
		}
	}
	return nil
}

// url is the URL of the account's blob service, without credentials.
func (a *account) url() (string, error) {
	if a.name == "" {
		return "", badurl.Errorf("no account: set AZURE_STORAGE_ACCOUNT, or storage_account in the URL")
	}
	if i := strings.IndexFunc(a.name, func(r rune) bool { return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) }); i >= 0 {
		return "", badurl.Errorf("an account is named by lower-case letters and digits")
	}
	domain := strings.ToLower(a.domain)
	if domain == "" {
		domain = domains[0]
	}
	protocol := strings.ToLower(a.protocol)
	if protocol == "" {
		protocol = "https"
		if a.emulator {
			protocol = "http"
		}
	}
	switch {
	case a.emulator && protocol != "http":
		return "", badurl.Errorf("an emulator, localemu=true, is reached by protocol=http")
	case a.emulator && !isLoopback(domain):
		return "", badurl.Errorf("domain %q of an emulator is not of this machine", domain)
	case a.emulator:
		return "http://" + domain + "/" + a.name, nil
	case protocol != "https":
		return "", badurl.Errorf("protocol is https, or http with localemu=true")
	case !slices.Contains(domains, domain):
		return "", badurl.Errorf("domain %q is none of %s: make the client yourself for it", domain, strings.Join(domains, ", "))
	case a.cdn:
		return "https://" + domain, nil
	}
	return "https://" + a.name + "." + domain, nil
}

// isLoopback reports whether a host, with a port or without, is this machine.
func isLoopback(domain string) bool {
	host, port, err := net.SplitHostPort(domain)
	if err != nil {
		host = strings.Trim(domain, "[]")
	} else if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false
	}
	host = strings.TrimSuffix(host, ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
