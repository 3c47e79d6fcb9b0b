package bucket_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func open(t *testing.T, l tracker.BucketLogin) *bucket.Store {
	t.Helper()
	s, err := bucket.Open(bucket.Login(l))
	expect.NoError(t, err)
	return s
}

// file returns the path of a new file with this many random bytes.
func file(t *testing.T, size int) (path string, content []byte) {
	t.Helper()
	content = make([]byte, size)
	_, _ = rand.Read(content) // documented never to fail
	path = filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(path, content, 0o600))
	return path, content
}

func content(t *testing.T, s *bucket.Store, at bucket.Place) []byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "got")
	expect.NoError(t, s.Get(t.Context(), at, to))
	raw, err := os.ReadFile(to)
	expect.NoError(t, err)
	return raw
}

func TestParse(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]bucket.Place{
		"s3://runs":        {Bucket: "runs"},
		"s3://runs/":       {Bucket: "runs"},
		"s3://runs/a/b-c/": {Bucket: "runs", Prefix: "a/b-c"},
	} {
		if got, err := bucket.Parse(uri); err != nil || got != want {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"s3://", "s3:///x", "s3://../x", "s3://runs/../x", "s3://runs/a//b", "s3://runs/a?b", "runs",
		`s3://runs/a\b`, "s3://runs/a\nb"} {
		if got, err := bucket.Parse(uri); err == nil {
			t.Errorf("%q is taken as %+v", uri, got)
		}
	}
	_, err := bucket.Parse("s3://key:hunter2@runs/x")
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("credentials in the address: %v", err)
	}
	base := bucket.Place{Bucket: "runs", Prefix: "a"}
	if !base.Has(base.Join("b")) || base.Has(bucket.Place{Bucket: "runs", Prefix: "ab"}) ||
		base.Has(bucket.Place{Bucket: "other", Prefix: "a/b"}) {
		t.Error("a place has what is not below it, or lacks what is")
	}
}

// Small files are sent in one request, large ones in several. Both arrive unchanged, and Same recognises them.
func TestObjects(t *testing.T) {
	t.Parallel()
	s := open(t, trackertest.NewStorage(t).Login)
	at := bucket.Place{Bucket: "runs", Prefix: "p/q"}
	expect.NoError(t, s.Writable(t.Context(), at.Join("..")))
	for i, size := range []int{1, 100, 5 << 20, 12<<20 + 7} {
		name := fmt.Sprintf("folder/%d", i)
		path, want := file(t, size)
		expect.NoError(t, s.Put(t.Context(), at.Join(name), path))
		if got := content(t, s, at.Join(name)); !bytes.Equal(got, want) {
			t.Errorf("%d bytes were stored as %d others", size, len(got))
		}
		list, err := s.List(t.Context(), at)
		expect.NoError(t, err)
		if len(list) != i+1 || list[i].Name != name || list[i].Size != int64(size) || !s.IsSame(list[i], path) {
			t.Errorf("%d bytes are listed as %+v", size, list)
		}
		want[0]++
		other := filepath.Join(t.TempDir(), "other")
		expect.NoError(t, os.WriteFile(other, want, 0o600))
		if s.IsSame(list[i], other) {
			t.Errorf("another file of %d bytes is taken for the same", size)
		}
	}
	to := bucket.Place{Bucket: "runs", Prefix: "p/r"}
	expect.NoError(t, s.Copy(t.Context(), to, at))
	if list, err := s.List(t.Context(), to); err != nil || len(list) != 4 || list[3].Size != 12<<20+7 {
		t.Errorf("copied: %+v, %v", list, err)
	}
	expect.NoError(t, s.RemoveAll(t.Context(), bucket.Place{Bucket: "runs", Prefix: "p"}, "r"))
	list, err := s.List(t.Context(), bucket.Place{Bucket: "runs", Prefix: "p"})
	if err != nil || len(list) != 4 || !strings.HasPrefix(list[0].Name, "r/") {
		t.Errorf("left: %+v, %v", list, err)
	}
	if err := s.RemoveAll(t.Context(), bucket.Place{Bucket: "runs"}); err == nil {
		t.Error("a whole bucket was removed")
	}
}

// An upload that is cut off leaves the older object, even if the file is sent in several requests, and is repeated.
func TestUploadIsCutOff(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1 << 20, 12 << 20} {
		storage := trackertest.NewStorage(t)
		s := open(t, storage.Login)
		direct := open(t, storage.Direct)
		at := bucket.Place{Bucket: "runs", Prefix: "state"}
		old, want := file(t, size)
		expect.NoError(t, s.Put(t.Context(), at, old))
		next, later := file(t, size)
		storage.Cut(int64(size) * 2 / 3)
		err := s.Put(t.Context(), at, next)
		if !bucket.Away.Is(err) || storage.Cuts() == 0 {
			t.Errorf("%d bytes: %v after %d cuts", size, err, storage.Cuts())
		}
		if got := content(t, direct, at); !bytes.Equal(got, want) {
			t.Errorf("%d bytes: the older object is gone", size)
		}
		storage.Mend()
		expect.NoError(t, s.Put(t.Context(), at, next))
		if got := content(t, direct, at); !bytes.Equal(got, later) {
			t.Errorf("%d bytes: the upload was not repeated", size)
		}
	}
}

// A download that is cut off leaves no file.
func TestDownloadIsCutOff(t *testing.T) {
	t.Parallel()
	storage := trackertest.NewStorage(t)
	direct := open(t, storage.Direct)
	at := bucket.Place{Bucket: "runs", Prefix: "state"}
	path, _ := file(t, 1<<20)
	expect.NoError(t, direct.Put(t.Context(), at, path))
	storage.Away()
	dir := t.TempDir()
	err := open(t, storage.Login).Get(t.Context(), at, filepath.Join(dir, "state"))
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if !bucket.Away.Is(err) || len(left)+len(hidden) > 0 {
		t.Errorf("%v, and %q is left", err, slices.Concat(left, hidden))
	}
}

// Each error says what is wrong and what helps, and does not contain the secret.
func TestErrors(t *testing.T) {
	t.Parallel()
	storage := trackertest.NewStorage(t)
	at := bucket.Place{Bucket: "runs", Prefix: "p"}
	wrong := storage.Login
	wrong.Key = "other"
	gone := storage.Login
	gone.Endpoint = "http://127.0.0.1:1"
	for _, test := range []struct {
		name  string
		login tracker.BucketLogin
		at    bucket.Place
		kind  bucket.Kind
		want  []string
	}{
		{"bucket", storage.Login, bucket.Place{Bucket: "none", Prefix: "p"}, bucket.NoBucket,
			[]string{"has no bucket none", "create it"}},
		{"credentials", wrong, at, bucket.Denied, []string{"InvalidAccessKeyId", "AWS_SECRET_ACCESS_KEY", "~/.aws/credentials"}},
		{"address", gone, at, bucket.Away, []string{"http://127.0.0.1:1", "AWS_ENDPOINT_URL"}},
	} {
		s := open(t, test.login)
		_, listed := s.List(t.Context(), test.at)
		for _, err := range []error{s.Writable(t.Context(), test.at), listed} {
			if !test.kind.Is(err) {
				t.Errorf("%s: %v", test.name, err)
				continue
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %q is not in %q, or it has lines", test.name, want, err)
				}
			}
		}
	}
	err := open(t, storage.Login).Get(t.Context(), at.Join("none"), filepath.Join(t.TempDir(), "x"))
	if !bucket.Missing.Is(err) {
		t.Errorf("an object that is not there: %v", err)
	}
	if _, err := bucket.Open(bucket.Login{Endpoint: "localhost:9000"}); !bucket.Invalid.Is(err) {
		t.Errorf("an address without http: %v", err)
	}
}
