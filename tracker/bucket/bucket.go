// Package bucket keeps files as objects of an S3-compatible storage. Objects are replaced atomically: an upload that is
// cut off leaves the older one. Only this package uses the storage's client.
package bucket

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Place is where objects are: their keys begin with the prefix and a slash, or are any without a prefix.
type Place struct{ Bucket, Prefix string }

// Is reports whether an address is a place in a bucket.
func Is(uri string) bool { return strings.HasPrefix(uri, "s3://") }

// Parse reads s3://BUCKET/PREFIX. A prefix is a path whose parts could be names of files.
func Parse(uri string) (Place, error) {
	refuse := func(why string) (Place, error) {
		if u, err := url.Parse(uri); err == nil {
			uri = u.Redacted()
		}
		return Place{}, &Error{Kind: Invalid, Text: fmt.Sprintf("the address %.200q is refused: %s", uri, why)}
	}
	text, ok := strings.CutPrefix(uri, "s3://")
	if !ok {
		return refuse("it does not begin with s3://")
	}
	name, prefix, _ := strings.Cut(text, "/")
	switch {
	case strings.Contains(name, "@"):
		return refuse("credentials are not part of it; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY have them")
	case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") != "" ||
		strings.Trim(name, ".") == "":
		return refuse("it does not name a bucket: s3://BUCKET/PREFIX")
	case strings.ContainsAny(prefix, "?#\\") || strings.ContainsFunc(prefix, func(r rune) bool { return r < ' ' || r == 127 }):
		return refuse("its prefix has characters that other programs interpret differently")
	}
	prefix = strings.TrimRight(prefix, "/")
	if prefix != "" && path.Clean("/"+prefix) != "/"+prefix {
		return refuse("a part of its prefix is empty, . or ..")
	}
	return Place{name, prefix}, nil
}

// URI returns the address of a place, as MLflow writes it.
func (p Place) URI() string { return "s3://" + path.Join(p.Bucket, p.Prefix) }

// Join returns a place below p.
func (p Place) Join(parts ...string) Place {
	return Place{p.Bucket, path.Join(append([]string{p.Prefix}, parts...)...)}
}

// Has reports whether another place is in this one, or is it.
func (p Place) Has(other Place) bool {
	return p.Bucket == other.Bucket && (p.Prefix == other.Prefix || strings.HasPrefix(other.Prefix, p.within()))
}

// within returns the prefix of the keys of a place.
func (p Place) within() string {
	if p.Prefix == "" {
		return ""
	}
	return p.Prefix + "/"
}

// Login is the address of the storage and the user's credentials. Empty fields are read from the environment, as by
// other S3 programs.
type Login struct {
	Endpoint string // https://host:port; "": MLFLOW_S3_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, else AWS
	Region   string // "": AWS_REGION, AWS_DEFAULT_REGION, else the storage is asked
	// Key and Secret are the credentials; "": AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws/credentials, or those
	// that the machine has in the cloud
	Key, Secret string
	Part        uint64 // bytes of a large file that travel in one request; 0: 64 MiB
}

// Store is a client of a storage.
type Store struct {
	c        *minio.Client
	creds    *credentials.Credentials
	endpoint string
	part     int64
}

// Open returns a client. It does not connect yet.
func Open(l Login) (*Store, error) {
	endpoint := cmp.Or(l.Endpoint, os.Getenv("MLFLOW_S3_ENDPOINT_URL"), os.Getenv("AWS_ENDPOINT_URL_S3"),
		os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, &Error{Kind: Invalid, Err: err, Text: "the storage's address (AWS_ENDPOINT_URL) is not https://HOST or " +
			"http://HOST:PORT"}
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return nil, &Error{Kind: Invalid, Err: err, Text: err.Error()}
	}
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return movingConn{c}, nil
	}
	s := &Store{creds: credentials.New(chain(l)), endpoint: u.Scheme + "://" + u.Host, part: int64(cmp.Or(l.Part, 64<<20))}
	s.c, err = minio.New(u.Host, &minio.Options{Creds: s.creds, Secure: u.Scheme == "https", Transport: transport,
		Region: cmp.Or(l.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")), MaxRetries: 3})
	if err != nil {
		return nil, &Error{Kind: Invalid, Err: err, Text: "the storage's address (AWS_ENDPOINT_URL): " + err.Error()}
	}
	return s, nil
}

// chain searches credentials where other programs search them.
func chain(l Login) credentials.Provider {
	if l.Key != "" {
		return &credentials.Static{Value: credentials.Value{AccessKeyID: l.Key, SecretAccessKey: l.Secret,
			SignerType: credentials.SignatureV4}}
	}
	// Outside a cloud there is no service with credentials.
	cloud := &http.Client{Timeout: 2 * time.Second}
	return &credentials.Chain{Providers: []credentials.Provider{&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{}, &credentials.IAM{Client: cloud}}}
}

// standstill is how long a connection may carry nothing. A network that drops packets must not block a run.
const standstill = 2 * time.Minute

// movingConn is a connection that fails when no data moves.
type movingConn struct{ net.Conn }

func (c movingConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(standstill)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c movingConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(standstill)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Lazy opens a store when it is first needed.
type Lazy struct {
	Login Login

	once sync.Once
	s    *Store
	err  error
}

// Open returns the store, or the error of opening it.
func (l *Lazy) Open() (*Store, error) {
	l.once.Do(func() { l.s, l.err = Open(l.Login) })
	return l.s, l.err
}
