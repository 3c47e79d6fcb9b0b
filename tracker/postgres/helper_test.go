package postgres_test

import (
	"net/url"
	"testing"
)

// asRole is uri with another login.
func asRole(t *testing.T, uri, role, password string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, password)
	return u.String()
}
