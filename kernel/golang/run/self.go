//go:build amd64 || arm64

package run

// self is where the runtime keeps the calling goroutine: no two that run have the same place.
func self() uintptr
