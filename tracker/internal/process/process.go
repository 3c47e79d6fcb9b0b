// Package process reports which machine this is, and which processes are alive on it.
package process

import "os"

// Hostname returns the name of this machine, "unknown" if it has none.
func Hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}
