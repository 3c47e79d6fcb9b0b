//go:build !amd64 && !arm64

package forge

import "errors"

var errStubs = errors.New("it sees methods of cells' types on amd64 and arm64")

func stubsLeft() int { return 0 }

func reserve(n int) (int, error) {
	if n > 0 {
		return 0, errStubs
	}
	return 0, nil
}

func fillStub(int, any) int32 { return 0 }
