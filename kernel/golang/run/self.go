//go:build amd64 || arm64

package run

// self returns where the runtime keeps the calling goroutine. No two running goroutines share this address.
func self() uintptr
