package dataset

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/atomicfile"
)

// Options are how Get downloads. The zero value is right for users.
type Options struct {
	// BaseURL replaces the public homes by a mirror: the files are then at BaseURL/SET/FILE.
	BaseURL string
	// Client makes the requests; nil: one of Get's own. It should have no timeout for whole requests, which would end
	// slow downloads.
	Client *http.Client
	// Progress receives the bytes of a file that have arrived and all its bytes, -1 if unknown. It is called often,
	// by one goroutine.
	Progress func(file string, done, total int64)
	// StallTimeout ends a request that has received nothing for this long. It is then tried again. 0: 30 seconds.
	StallTimeout time.Duration
	// Tries is how many requests in a row may receive nothing new before Get gives up. 0: 6.
	Tries int
	// Wait is the pause before the second try; it doubles with each further one, up to 30 seconds. 0: 1 second.
	Wait time.Duration
}

func (o Options) withDefaults() Options {
	if o.Client == nil {
		o.Client = &http.Client{}
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.StallTimeout <= 0 {
		o.StallTimeout = 30 * time.Second
	}
	if o.Tries <= 0 {
		o.Tries = 6
	}
	if o.Wait <= 0 {
		o.Wait = time.Second
	}
	return o
}

// GetError is the error for a failed download, with a remedy.
type GetError struct {
	Set    string
	File   string // "" if it is about the whole set
	URL    string // address of the request; "" if no request was the cause
	Remedy string // what to do, "" if unknown
	Err    error
}

func (e *GetError) Error() string {
	msg := "get " + e.Set
	if e.URL != "" {
		msg += ": " + e.URL
	} else if e.File != "" {
		msg += ": " + e.File
	}
	msg += ": " + e.Err.Error()
	if e.Remedy != "" {
		msg += "; " + e.Remedy
	}
	return msg
}

// Unwrap returns the cause.
func (e *GetError) Unwrap() error { return e.Err }

// Get fetches a known set or checkpoint into dir/NAME and returns that folder. Files that are there with the right
// content stay. Files arrive in the hidden folder dir/.NAME.part and are checked, and then the folder is renamed:
// dir/NAME is always complete. After an interruption (ctx) or a failure the next call continues from what has arrived.
// Errors are *UnknownError and *GetError; the latter may wrap a *DigestError or ctx's error.
func Get(ctx context.Context, name, dir string, o Options) (string, error) {
	set, err := lookup(name, fetched())
	if err != nil {
		return "", err
	}
	return get(ctx, set, dir, o.withDefaults())
}

func get(ctx context.Context, set Set, dir string, o Options) (string, error) {
	folder := filepath.Join(dir, set.Name)
	whole := func(err error, remedy string) (string, error) {
		return "", &GetError{Set: set.Name, Err: err, Remedy: remedy}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return whole(err, "choose a writable folder")
	}
	unlock, err := lockFolder(dir)
	if err != nil {
		return whole(err, "")
	}
	defer unlock()

	switch _, err := os.Lstat(folder); {
	case err == nil:
		if err := set.Verify(folder); err != nil {
			return whole(err, folder+" is another program's or was changed: rename or remove it, then try again")
		}
		return folder, nil
	case !errors.Is(err, fs.ErrNotExist):
		return whole(err, "")
	}

	work := filepath.Join(dir, "."+set.Name+".part")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return whole(err, "choose a writable folder")
	}
	for _, f := range set.Files {
		url := f.URL
		if o.BaseURL != "" {
			url = strings.TrimSuffix(o.BaseURL, "/") + "/" + set.Name + "/" + f.Name
		}
		if err := getFile(ctx, f, url, work, o); err != nil {
			return "", &GetError{Set: set.Name, File: f.Name, URL: url, Err: err,
				Remedy: remedy(ctx, err, work, folder)}
		}
	}
	if err := errors.Join(atomicfile.SyncFolder(work), os.Rename(work, folder),
		atomicfile.SyncFolder(dir)); err != nil {
		return whole(err, "")
	}
	return folder, nil
}

// remedy returns what to do about a failed download.
func remedy(ctx context.Context, err error, work, folder string) string {
	if ctx.Err() != nil {
		return "what has arrived is kept in " + work + "; the next download continues from it"
	}
	if _, ok := errors.AsType[*DigestError](err); ok {
		return "the download was deleted: its source may have changed or a proxy may alter it; try again later, " +
			"or put the files into " + folder
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return "free space or choose another folder, then try again"
	}
	return "check the network and try again (the download continues where it stopped), or put the files into " + folder
}
