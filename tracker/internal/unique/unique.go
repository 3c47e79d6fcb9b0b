// Package unique makes unique names.
package unique

import (
	"crypto/rand"
	"encoding/hex"
)

func RandomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // documented never to fail
	return hex.EncodeToString(b)
}
