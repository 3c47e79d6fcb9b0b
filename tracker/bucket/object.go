package bucket

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
)

// Object is an entry of a list. Name is its path below the place that was listed.
type Object struct {
	Name string
	Size int64
	Sum  string // ETag of the storage, which changes with the content
}

// Writable returns an error if objects cannot be written at a place. It leaves a small object there.
func (s *Store) Writable(ctx context.Context, at Place) error {
	at = at.Join(".writable")
	_, err := s.c.PutObject(ctx, at.Bucket, at.Prefix, strings.NewReader("\n"), 1, minio.PutObjectOptions{})
	return s.fail(ctx, at, err)
}

// List returns the objects of a place, sorted by name, without those whose name could lead out of a folder.
func (s *Store) List(ctx context.Context, at Place) ([]Object, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var list []Object
	for o := range s.c.ListObjects(ctx, at.Bucket, minio.ListObjectsOptions{Prefix: at.within(), Recursive: true}) {
		if o.Err != nil {
			return nil, s.fail(ctx, at, o.Err)
		}
		name := strings.TrimPrefix(o.Key, at.within())
		if filepath.IsLocal(filepath.FromSlash(name)) && !strings.HasSuffix(name, "/") && !strings.Contains(name, `\`) {
			list = append(list, Object{name, o.Size, strings.Trim(o.ETag, `"`)})
		}
	}
	slices.SortFunc(list, func(a, b Object) int { return cmp.Compare(a.Name, b.Name) })
	return list, s.fail(ctx, at, ctx.Err())
}

// Put replaces an object by a file, once all of it has arrived. If the file is replaced meanwhile, the old content is
// sent.
func (s *Store) Put(ctx context.Context, at Place, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// The storage checks the checksum, which is signed, so the content need not be signed.
	o := minio.PutObjectOptions{ContentType: "application/octet-stream", SendContentMd5: true, DisableContentSha256: true}
	if info.Size() >= s.part {
		o.PartSize = uint64(s.part)
		if err := s.dropIncomplete(ctx, at); err != nil {
			return err
		}
	}
	_, err = s.c.PutObject(ctx, at.Bucket, at.Prefix, f, info.Size(), o)
	return s.fail(ctx, at, err)
}

// dropIncomplete removes the parts of uploads that were cut off. Storages that cannot list them remove them themselves.
func (s *Store) dropIncomplete(ctx context.Context, at Place) error {
	err := s.fail(ctx, at, s.c.RemoveIncompleteUpload(ctx, at.Bucket, at.Prefix))
	if Away.Is(err) || ctx.Err() != nil {
		return err
	}
	return nil
}

// Get writes an object to a file, once all of it has arrived. The folder must exist.
func (s *Store) Get(ctx context.Context, at Place, file string) (err error) {
	part, err := os.CreateTemp(filepath.Dir(file), ".download-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) // there is none after the rename
	err = s.receive(ctx, at, part)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), file)
}

func (s *Store) receive(ctx context.Context, at Place, to io.Writer) error {
	o, err := s.c.GetObject(ctx, at.Bucket, at.Prefix, minio.GetObjectOptions{})
	if err != nil {
		return s.fail(ctx, at, err)
	}
	defer o.Close()
	info, err := o.Stat()
	if err != nil {
		return s.fail(ctx, at, err)
	}
	n, err := io.Copy(to, o)
	if err == nil && n != info.Size {
		err = fmt.Errorf("%d of %d bytes arrived", n, info.Size)
	}
	return s.fail(ctx, at, err)
}

const (
	maxChanges = 10      // number of times that a place may change while it is copied
	maxCopied  = 5 << 30 // bytes of an object that is copied in one request
)

// Copy copies all objects of a place to another one, within the storage. The copies belong together: if an object was
// replaced meanwhile, all is copied again.
func (s *Store) Copy(ctx context.Context, to, from Place) error {
	before, err := s.List(ctx, from)
	if err != nil {
		return err
	}
	for range maxChanges {
		for _, o := range before {
			source, target := from.Join(o.Name), to.Join(o.Name)
			dst := minio.CopyDestOptions{Bucket: target.Bucket, Object: target.Prefix}
			src := minio.CopySrcOptions{Bucket: source.Bucket, Object: source.Prefix}
			if o.Size <= maxCopied {
				_, err = s.c.CopyObject(ctx, dst, src)
			} else {
				_, err = s.c.ComposeObject(ctx, dst, src)
			}
			if err = s.fail(ctx, source, err); err != nil && !Missing.Is(err) {
				return err
			}
		}
		after, err := s.List(ctx, from)
		if err != nil || slices.Equal(before, after) {
			return err
		}
		before = after
	}
	return &Error{Kind: Away, Text: from.URI() + " changes faster than it can be copied"}
}

// Remove removes an object. A missing object is not an error.
func (s *Store) Remove(ctx context.Context, at Place) error {
	err := s.fail(ctx, at, s.c.RemoveObject(ctx, at.Bucket, at.Prefix, minio.RemoveObjectOptions{}))
	if Missing.Is(err) {
		return nil
	}
	return err
}

// RemoveAll removes all objects of a place that has a prefix, and the parts of uploads that were cut off. keep has the
// names of folders below it that stay.
func (s *Store) RemoveAll(ctx context.Context, at Place, keep ...string) error {
	if at.Prefix == "" {
		return &Error{Kind: Invalid, Text: at.URI() + " is a whole bucket, which is not removed"}
	}
	list, err := s.List(ctx, at)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, o := range list {
		names[o.Name] = true
	}
	stays := func(name string) bool {
		folder, _, _ := strings.Cut(name, "/")
		return slices.Contains(keep, folder)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for o := range s.c.ListIncompleteUploads(ctx, at.Bucket, at.within(), true) {
		if name := strings.TrimPrefix(o.Key, at.within()); o.Err == nil && !stays(name) { // see dropIncomplete
			if err := s.dropIncomplete(ctx, at.Join(name)); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if stays(name) {
			continue
		}
		if err := s.Remove(ctx, at.Join(name)); err != nil {
			return err
		}
	}
	return nil
}

// IsSame reports whether a file has the content of an object. It returns false if it cannot tell: a storage that
// encrypts has checksums of its own.
func (s *Store) IsSame(o Object, file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != o.Size {
		return false
	}
	if !strings.Contains(o.Sum, "-") {
		h := md5.New()
		_, err := io.Copy(h, f)
		return err == nil && hex.EncodeToString(h.Sum(nil)) == o.Sum
	}
	all, parts := md5.New(), 0
	for {
		h := md5.New()
		n, err := io.CopyN(h, f, s.part)
		if n > 0 {
			all.Write(h.Sum(nil))
			parts++
		}
		if err == io.EOF {
			return fmt.Sprintf("%x-%d", all.Sum(nil), parts) == o.Sum
		}
		if err != nil {
			return false
		}
	}
}
