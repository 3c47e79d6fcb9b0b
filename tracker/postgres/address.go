package postgres

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/spherelab/spherelab/tracker"
)

const urlForm = "postgres://user:password@host:5432/database"

// checkURL accepts only URLs of PostgreSQL servers. Its errors do not repeat a malformed URL, because any part of it
// may be a password.
func checkURL(what, uri string) error {
	scheme, _, ok := strings.Cut(uri, "://")
	switch {
	case !ok || !schemePattern.MatchString(scheme):
		return tracker.Errorf(tracker.CodeInvalid, nil, "%s is not a postgres:// URL; the form is %s", what, urlForm)
	case scheme == "http" || scheme == "https":
		return tracker.Errorf(tracker.CodeUnsupported, nil, "%s is a tracking server (%s://...), and this needs "+
			"a database: %s", what, scheme, urlForm)
	case scheme != "postgres" && scheme != "postgresql":
		return tracker.Errorf(tracker.CodeInvalid, nil, "%s is a %s:// URL, not a postgres:// URL; the form is %s", what, scheme,
			urlForm)
	}
	u, err := url.Parse(uri)
	if err != nil || u.Fragment != "" || u.User == nil && strings.Contains(u.Path+firstKey(u.RawQuery), "@") {
		return tracker.Errorf(tracker.CodeInvalid, nil,
			"%s cannot be read as a URL; the form is %s, with a port that is a number and with "+
				"special characters of name and password written as %%XX (/ as %%2F, # as %%23, ? as %%3F, @ as %%40, %% as %%25)",
			what, urlForm)
	}
	return nil
}

var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// firstKey returns the name of a URL query's first option.
func firstKey(query string) string {
	option, _, _ := strings.Cut(query, "&")
	key, _, _ := strings.Cut(option, "=")
	return key
}

// SplitPassword takes the passwords out of a database's address. The address is for a command line, which every user of
// the machine can read. A password for a client key is dropped: the program that reads the address asks for it.
func SplitPassword(address string) (rest, password string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", errors.New("the tracker's address is not a URL") // the parser's error repeats all of it
	}
	if u.User != nil {
		password, _ = u.User.Password()
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	if p := q.Get("password"); p != "" {
		password = p
	}
	q.Del("password")
	q.Del("sslpassword")
	u.RawQuery = encodeQuery(q)
	return u.String(), password, nil
}

// encodeQuery writes a space as %20, because libpq does not read + as a space.
func encodeQuery(q url.Values) string { return strings.ReplaceAll(q.Encode(), "+", "%20") }
