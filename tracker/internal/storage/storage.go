// Package storage has what backends share to keep files of runs in folders and buckets.
package storage

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
)

func IsBucketError(err error) bool {
	_, ok := errors.AsType[*bucket.Error](err)
	return ok
}

// StorageFault returns the Fault for an error of a bucket, nil for other errors. Even a refusal has its cause outside
// this program, so files wait until it is resolved.
func StorageFault(err error) *tracker.Fault {
	if !IsBucketError(err) {
		return nil
	}
	text := tracker.Redact(strings.Join(strings.Fields(err.Error()), " "))
	return &tracker.Fault{Err: err, Code: tracker.CodeUnavailable, Said: text, Trouble: "its artifacts cannot be stored",
		Temporary: !bucket.Missing.Is(err) && !bucket.Invalid.Is(err), Elsewhere: true}
}

func WriteFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return tracker.Errorf(tracker.CodeInternal, err, "creating a run's artifact folder: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := atomicfile.Write(filepath.Join(dir, name), files[name], 0o644); err != nil {
			return tracker.Errorf(tracker.CodeInternal, err, "writing a run's artifact: %v", err)
		}
	}
	return nil
}
