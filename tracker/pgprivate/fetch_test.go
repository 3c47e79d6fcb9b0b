//go:build unix

package pgprivate

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestFetchReal downloads real server programs; it needs the network, so it runs only when requested, as `make soak`
// does.
func TestFetchReal(t *testing.T) {
	t.Parallel()
	if os.Getenv("SPHERELAB_TEST_DOWNLOAD") == "" {
		t.Skip("skipped: set SPHERELAB_TEST_DOWNLOAD=1, or run make soak, to download PostgreSQL programs from the network")
	}
	checkFetch(t, "")
}

// TestFetch downloads an archive of the same form, with small scripts for programs, from a server of its own.
func TestFetch(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(repository(t, &requests, nil))
	defer server.Close()
	in := checkFetch(t, server.URL)
	if in.Major != 17 || in.Version != "17.5" {
		t.Errorf("fetched %+v", in)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests for two fetches, want 2: archive and checksum", n)
	}
}

// checkFetch fetches twice from a repository and checks what is left in the cache.
func checkFetch(t *testing.T, repository string) Install {
	t.Helper()
	cache := t.TempDir()
	said := 0
	in, err := fetch(context.Background(), 0, cache, repository, func(s string) { t.Log(s); said++ })
	expect.NoError(t, err)
	if in.Major < minimumMajor || in.Source != "embedded" || said != 1 {
		t.Errorf("fetched %+v with %d notices", in, said)
	}
	if rel, err := filepath.Rel(cache, in.Bin); err != nil || strings.HasPrefix(rel, "..") {
		t.Errorf("%s is not in the cache %s", in.Bin, cache)
	}
	if again, err := fetch(context.Background(), 0, cache, repository,
		func(string) { t.Error("fetched twice") }); err != nil || again != in {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	if left, err := filepath.Glob(filepath.Join(cache, "fetch-*")); err != nil || len(left) > 0 {
		t.Errorf("the work folder stayed: %v, %v", left, err)
	}
	return in
}

// A damaged or missing archive is an error. It leaves nothing that the next start could take for programs, and a later
// good archive works.
func TestFetchBadArchive(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(w http.ResponseWriter, path string, body []byte) []byte{
		"absent": func(w http.ResponseWriter, _ string,
			_ []byte) []byte {
			w.WriteHeader(http.StatusNotFound)
			return nil
		},
		"checksum": func(_ http.ResponseWriter, path string, body []byte) []byte { return spoilChecksum(path, body) },
		"torn":     func(_ http.ResponseWriter, _ string, body []byte) []byte { return body[:len(body)/2] },
		"page":     func(http.ResponseWriter, string, []byte) []byte { return []byte("<html>please log in</html>") },
	} {
		var requests atomic.Int64
		server := httptest.NewServer(repository(t, &requests, spoil))
		cache := t.TempDir()
		if in, err := fetch(context.Background(), 0, cache, server.URL, func(string) {}); err == nil {
			t.Errorf("%s: fetched %+v", name, in)
		}
		server.Close()
		if found, err := filepath.Glob(filepath.Join(cache, "*", "bin")); err != nil || len(found) > 0 {
			t.Errorf("%s: %v stayed, %v", name, found, err)
		}
		good := httptest.NewServer(repository(t, &requests, nil))
		if _, err := fetch(context.Background(), 0, cache, good.URL, func(string) {}); err != nil {
			t.Errorf("%s, and a good archive afterwards: %v", name, err)
		}
		good.Close()
	}
}

func spoilChecksum(path string, body []byte) []byte {
	if strings.HasSuffix(path, ".sha256") {
		return []byte(strings.Repeat("0", len(body)))
	}
	return body
}

// repository answers as a Maven repository with the archive of fake programs; spoil, if not nil, changes the answers.
func repository(t *testing.T, requests *atomic.Int64,
	spoil func(w http.ResponseWriter, path string, body []byte) []byte) http.Handler {
	archive := fakeArchive(t)
	sum := sha256.Sum256(archive)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body := archive
		if strings.HasSuffix(r.URL.Path, ".sha256") {
			body = []byte(hex.EncodeToString(sum[:]))
		}
		if !strings.HasPrefix(r.URL.Path, "/io/zonky/test/postgres/embedded-postgres-binaries-") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if spoil != nil {
			body = spoil(w, r.URL.Path, body)
		}
		_, _ = w.Write(body) // the client's fault if it does not read
	})
}

// fakeArchive is a jar with a .txz of programs inside, as the embedded-postgres project publishes them.
func fakeArchive(t *testing.T) []byte {
	t.Helper()
	var tape bytes.Buffer
	w := tar.NewWriter(&tape)
	for name, script := range map[string]string{
		"bin/postgres": "#!/bin/sh\necho 'postgres (PostgreSQL) 17.5'\n",
		"bin/initdb":   "#!/bin/sh\nexit 1\n",
		"bin/pg_ctl":   "#!/bin/sh\necho 'this is not a server' >&2\nexit 1\n",
	} {
		expect.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(script)),
			Typeflag: tar.TypeReg}))
		if _, err := w.Write([]byte(script)); err != nil {
			t.Fatal(err)
		}
	}
	expect.NoError(t, w.Close())
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	inner, err := z.Create("postgres-linux-x86_64.txz")
	if err == nil {
		_, err = inner.Write(storedXZ(tape.Bytes()))
	}
	if err == nil {
		err = z.Close()
	}
	expect.NoError(t, err)
	return jar.Bytes()
}

// storedXZ wraps up to 64 KiB into an .xz file without compressing it (the .xz file format specification 1.2.1: one
// block, one LZMA2 chunk of the uncompressed kind, no check of the contents).
func storedXZ(data []byte) []byte {
	if len(data) == 0 || len(data) > 1<<16 {
		panic("storedXZ writes a single chunk of 1 to 65536 bytes")
	}
	sealed := func(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)) }
	padded := func(b []byte) []byte { return append(b, make([]byte, (4-len(b)%4)%4)...) }
	flags := []byte{0, 0} // no check

	out := []byte{0xfd, '7', 'z', 'X', 'Z', 0}
	out = append(out, flags...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(flags))

	// Block header: its size in words less one, flags (one filter), filter LZMA2 with one byte: a dictionary of 64 KiB.
	header := sealed([]byte{2, 0, 0x21, 1, 8, 0, 0, 0})
	chunk := binary.BigEndian.AppendUint16([]byte{1}, uint16(len(data)-1)) // 1: uncompressed, fresh dictionary
	chunk = append(append(chunk, data...), 0)                              // 0: the end
	unpadded := len(header) + len(chunk)
	out = append(append(out, header...), padded(chunk)...)

	index := binary.AppendUvarint([]byte{0, 1}, uint64(unpadded))
	index = sealed(padded(binary.AppendUvarint(index, uint64(len(data)))))
	out = append(out, index...)

	backward := append(binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1)), flags...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(backward))
	return append(append(out, backward...), 'Y', 'Z')
}
