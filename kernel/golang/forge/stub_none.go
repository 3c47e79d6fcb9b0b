//go:build !amd64 && !arm64

package forge

func stubFor(any) (offset int32, ok bool) { return 0, false }

// Limits says why methods of a type may be missing.
func Limits() string { return "it sees methods of cells' types on amd64 and arm64" }
