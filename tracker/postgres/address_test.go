package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// No form in which people give an address may bring its password into an error.
func TestOpenKeepsPasswords(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		// What is not a URL is not repeated at all.
		"host=127.0.0.1 password=s3cret":                                   "is not a postgres:// URL",
		"host=127.0.0.1 password = 's3cret x'":                             "is not a postgres:// URL",
		"postgresql:bob:s3cret@host/db":                                    "is not a postgres:// URL",
		"postgres:/bob:s3cret@host/db":                                     "is not a postgres:// URL",
		"bob:s3cret@host/db":                                               "is not a postgres:// URL",
		"password=s3cret url=postgres://host/db":                           "is not a postgres:// URL",
		"mysql://bob:s3cret@host/db":                                       "is a mysql:// URL",
		"postgers://bob:s3cret":                                            "is a postgers:// URL",
		"http://bob:s3cret@host:5000/":                                     "before @",
		"http://bob@host:5000/?password=s3cret":                            "before @",
		"https://host:5000/?password=s3cret":                               "after ?",
		"postgres://bob:s3cret":                                            "%2F",
		"postgres://bob:s3/cret@host/db":                                   "%2F",
		"postgres://bob:3/s3cret@host/db":                                  "%2F",
		"postgres://bob:3?s3cret@host/db":                                  "%2F",
		"postgres://bob:3#s3cret@host/db":                                  "%2F",
		"postgres://bob:s3cret%zz@host/db":                                 "%2F",
		"postgres://bob:s3cret@host:port/db":                               "%2F",
		"postgres://bob:s3cret@127.0.0.1:1/db":                             "bob:***@127.0.0.1:1/db",
		"postgres://bob:s3@cret@127.0.0.1:1/db":                            "@127.0.0.1:1/db",
		"postgres://bob@127.0.0.1:1/db?password=s3cret":                    "bob@127.0.0.1:1/db?password=***",
		"postgres://bob@127.0.0.1:1/db?sslpassword=s3cret&sslmode=disable": "sslpassword=***&sslmode=disable",
		"postgres://bob@127.0.0.1:1/db?sslmode=disable&PASSWORD=s3cret":    "sslmode=disable&PASSWORD=***",
	} {
		var said []string
		_, err := open.Tracker(context.Background(), uri,
			tracker.Options{DataDir: t.TempDir(), RetryFor: time.Millisecond,
				Say: func(line string) { said = append(said, line) }})
		if err == nil {
			t.Errorf("%s was accepted", uri)
			continue
		}
		text := err.Error() + strings.Join(said, "\n")
		for _, secret := range []string{"s3", "cret"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: the error has the password: %s", uri, text)
				break
			}
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in: %s", uri, want, text)
		}
	}
}
func TestSplitPassword(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"postgresql://bob@h:5432/db": {"postgresql://bob@h:5432/db", ""},
		"postgresql://bob:s3c%2Fret@h/db?sslmode=disable": {"postgresql://bob@h/db?sslmode=disable",
			"s3c/ret"},
		"postgresql:///db?host=%2Frun&password=a%26b&sslpassword=x": {"postgresql:///db?host=%2Frun", "a&b"},
		"postgresql://bob:first@h/db?password=second&sslmode=disable": {"postgresql://bob@h/db?sslmode=disable",
			"second"},
	} {
		where, password, err := postgres.SplitPassword(address)
		if err != nil || where != want[0] || password != want[1] {
			t.Errorf("%s: %s, %s, %v", address, where, password, err)
		}
	}
	if _, _, err := postgres.SplitPassword("postgres://bob:s3cret@h:port/db"); err == nil ||
		strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error %v", err)
	}
}
