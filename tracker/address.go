package tracker

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
)

const urlForm = "postgres://user:password@host:5432/database"

// checkURL accepts only URLs of PostgreSQL servers. Its errors do not repeat a malformed URL, because any part of it
// may be a password.
func checkURL(what, uri string) error {
	scheme, _, ok := strings.Cut(uri, "://")
	switch {
	case !ok || !schemePattern.MatchString(scheme):
		return errorf(CodeInvalid, nil, "%s is not a postgres:// URL; the form is %s", what, urlForm)
	case scheme == "http" || scheme == "https":
		return errorf(CodeUnsupported, nil, "%s is a tracking server (%s://...), and this needs "+
			"a database: %s", what, scheme, urlForm)
	case scheme != "postgres" && scheme != "postgresql":
		return errorf(CodeInvalid, nil, "%s is a %s:// URL, not a postgres:// URL; the form is %s", what, scheme,
			urlForm)
	}
	u, err := url.Parse(uri)
	if err != nil || u.Fragment != "" || u.User == nil && strings.Contains(u.Path+firstKey(u.RawQuery), "@") {
		return errorf(CodeInvalid, nil,
			"%s cannot be read as a URL; the form is %s, with a port that is a number and with "+
				"special characters of name and password written as %%XX (/ as %%2F, # as %%23, ? as %%3F, @ as %%40, %% as %%25)",
			what, urlForm)
	}
	return nil
}

var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// firstKey is the name of a URL query's first option.
func firstKey(query string) string {
	option, _, _ := strings.Cut(query, "&")
	key, _, _ := strings.Cut(option, "=")
	return key
}

// A password given as an option ends at a blank, in a URL also at &. In libpq's key=value form it may be quoted.
var (
	secretKey      = `(?i)((?:^|[^a-z])(?:ssl|pg)?password\s*=\s*)`
	secretOption   = regexp.MustCompile(secretKey + `('(?:[^'\\]|\\.)*'|[^\s]*)`)
	secretURLQuery = regexp.MustCompile(secretKey + `[^&\s]*`)
)

// redact replaces the passwords of URLs and of connection options in s by ***.
func redact(s string) string {
	if !strings.Contains(s, "://") {
		return secretOption.ReplaceAllString(s, "${1}***")
	}
	s = secretURLQuery.ReplaceAllString(s, "${1}***")
	head, rest, _ := strings.Cut(s, "://")
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return s
	}
	user, _, has := strings.Cut(rest[:at], ":")
	if has {
		user += ":***"
	}
	return head + "://" + user + rest[at:]
}

// SplitPassword takes the passwords out of a database's address, for a command line, which every user of the machine
// can read. A password for a client key is dropped: the program that reads the address asks for it.
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

// encodeQuery writes a space as %20: libpq does not read + as one.
func encodeQuery(q url.Values) string { return strings.ReplaceAll(q.Encode(), "+", "%20") }
