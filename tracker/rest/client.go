// Package rest is a client of MLflow's REST API, version 2.0: of a server of this project, or of MLflow's own. It sends
// and receives values, and knows nothing of runs of this project.
package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Login is how a client says who it is. The zero Login says nothing.
type Login struct {
	Token          string // sent as a bearer token; before User and Password
	User, Password string
}

// Client sends requests to one server. Its methods may be called by several goroutines.
type Client struct {
	base  string // without a slash at its end
	login Login
	http  *http.Client
	// Silent is called when an answer has been waited for SilentAfter; may be nil. It is set before the first request.
	Silent func()
}

// SilentAfter is how long people hear nothing of a wait.
const SilentAfter = 5 * time.Second

// requestTime bounds a request that is not an artifact, with its answer.
const requestTime = time.Minute

// longestAnswer bounds an answer in bytes; a page of 1,000 runs with 500 metrics each has about 60 MB.
const longestAnswer = 512 << 20

// CheckAddress says why an address is not that of a server, nil if it may be one. It never repeats a password.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("it is not of the form http://host:port or https://host:port")
	case u.User != nil:
		return errors.New("it has a name or a password before @, which everybody reads who sees the address")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("it has a part after ? or #; a server's address has none")
	}
	return nil
}

// New returns a client of the server at an address that CheckAddress accepts. It sends nothing.
func New(address string, login Login) *Client {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 5 * time.Minute,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second,
	}
	return &Client{base: strings.TrimRight(address, "/"), login: login, http: &http.Client{Transport: transport,
		// A redirected POST would arrive as a GET without its body.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Address is the server's address.
func (c *Client) Address() string { return c.base }

// Local reports whether the server is a program of this machine.
func (c *Client) Local() bool {
	u, err := url.Parse(c.base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// Plain reports whether what is sent to the server can be read on the way: by http, to another machine.
func (c *Client) Plain() bool { return strings.HasPrefix(c.base, "http:") && !c.Local() }

// Error is an answer that refuses a request, or none that can be understood.
type Error struct {
	Status  int    // of HTTP; 0 if no answer came
	Code    string // MLflow's error code; "" if the answer has none
	Message string
	Err     error // the cause; may be nil
	Again   bool  // set by a caller who waits and asks again, whatever the status says
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// IsMissing reports whether what was asked for is not there.
func (e *Error) IsMissing() bool { return e.Code == "RESOURCE_DOES_NOT_EXIST" }

// Unknown reports that the server lacks the endpoint, as old servers do.
func (e *Error) Unknown() bool {
	return e.Code == "ENDPOINT_NOT_FOUND" || e.Code == "" && (e.Status == 404 || e.Status == 405) || e.Status == 501
}

// IsDenied reports whether the server wants another token or password.
func (e *Error) IsDenied() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// Transient reports whether the same request may succeed later. A server that fails may have its database away.
func (e *Error) Transient() bool {
	if e.Again {
		return true
	}
	switch e.Status {
	case 0:
		return e.Err != nil
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Status >= 500 && e.Status != 501 && e.Code != "INVALID_STATE"
}

// get asks with a query, post with a body of JSON.
func (c *Client) get(ctx context.Context, name string, query url.Values, into any) error {
	return c.exchange(ctx, http.MethodGet, "/api/2.0/"+name+"?"+query.Encode(), nil, into)
}

func (c *Client) post(ctx context.Context, name string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return c.exchange(ctx, http.MethodPost, "/api/2.0/"+name, raw, into)
}

func (c *Client) exchange(ctx context.Context, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	res, err := c.send(ctx, method, path, bytes.NewReader(body), int64(len(body)), "application/json")
	if err != nil {
		return err
	}
	return c.read(res, into)
}

// read reads an answer of success, which is an object of JSON. A page that a proxy shows instead stores nothing. Into
// may be nil.
func (c *Client) read(res *http.Response, into any) error {
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, longestAnswer+1))
	if err != nil {
		return &Error{Message: "the answer broke off: " + err.Error(), Err: err}
	}
	if len(raw) > longestAnswer {
		return &Error{Status: res.StatusCode, Message: fmt.Sprintf("the answer has more than %d bytes", longestAnswer)}
	}
	if into == nil {
		into = &struct{}{}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return &Error{Status: http.StatusOK, Message: fmt.Sprintf("%s answers %.60q, which is not an answer of MLflow's API; "+
			"is this the address of a tracking server?", c.base, raw)}
	}
	return nil
}

// send returns an answer with a status of success; its body is the caller's to close.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader, length int64,
	kind string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, &Error{Status: http.StatusBadRequest, Message: "the request cannot be made: " + err.Error()}
	}
	if length > 0 {
		req.ContentLength = length
		req.Header.Set("Content-Type", kind)
	}
	switch {
	case c.login.Token != "":
		req.Header.Set("Authorization", "Bearer "+c.login.Token)
	case c.login.User != "" || c.login.Password != "":
		req.SetBasicAuth(c.login.User, c.login.Password)
	}
	if c.Silent != nil {
		defer time.AfterFunc(SilentAfter, c.Silent).Stop()
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, lost(err)
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, c.readError(res)
}

// lost explains that no answer came. Some causes stay, whatever is waited for.
func lost(err error) error {
	text := err.Error()
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		text = wrapped.Err.Error()
		err = wrapped.Err
	}
	switch _, bad := errors.AsType[*tls.CertificateVerificationError](err); {
	case bad:
		return &Error{Message: "its certificate is not trusted: " + text + "; SSL_CERT_FILE names a file with the certificate " +
			"of its authority"}
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return &Error{Message: "it speaks http, not https; write its address with http://"}
	}
	return &Error{Message: text, Err: err}
}

// readError reads the error of an answer.
func (c *Client) readError(res *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		raw = nil
	}
	e := &Error{Status: res.StatusCode}
	var body struct {
		Code    string `json:"error_code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &body) == nil && body.Code != "" {
		e.Code, e.Message = body.Code, body.Message
		return e
	}
	if where := res.Header.Get("Location"); where != "" && res.StatusCode < 400 {
		e.Message = fmt.Sprintf("it sends to %.200q; give that server's address", where)
		return e
	}
	e.Message = "it answers with status " + res.Status
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if line := strings.Join(strings.Fields(string(raw)), " "); line != "" && kind == "text/plain" {
		e.Message += fmt.Sprintf(" (%.200s)", line)
	}
	return e
}
