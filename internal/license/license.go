// Package license has the licences of the program and of what is linked into it.
package license

import _ "embed"

//go:generate go run ./generate notice.txt

//go:embed notice.txt
var notice string

// Notice returns the texts of all licences, each below the modules that have it.
func Notice() string { return notice }
