package postgres_test

import (
	"net/url"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// asRole is uri with another login.
func asRole(t *testing.T, uri, role, password string) string {
	t.Helper()
	u, err := url.Parse(uri)
	expect.NoError(t, err)
	u.User = url.UserPassword(role, password)
	return u.String()
}
