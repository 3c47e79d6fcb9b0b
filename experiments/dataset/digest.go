package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// DigestError is the error for a file whose content is not the expected one.
type DigestError struct {
	File     string // path, or for a download the name
	Expected string // digest of the sorted lines
	Got      string
	Lines    int // lines that the file has
	Triples  int // lines that it should have; 0 for a file that is not text, whose digests are of the whole content
}

func (e *DigestError) Error() string {
	if e.Triples == 0 {
		return fmt.Sprintf("%s has other content: SHA-256 %s, expected %s", e.File, e.Got, e.Expected)
	}
	return fmt.Sprintf("%s has other content: digest of the sorted lines %s, expected %s (%d lines, expected %d)",
		e.File, e.Got, e.Expected, e.Lines, e.Triples)
}

// sortedDigest is the SHA-256, in hexadecimal, of a file's lines in bytewise order, each ended by a line feed, and
// their number.
func sortedDigest(path string) (digest string, lines int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() || info.Size() > largestBytes {
		return "", 0, fmt.Errorf("%s is not a file of a data set: it is not a regular file, or it is far too large",
			path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", 0, err
	}
	content = bytes.TrimSuffix(content, []byte("\n"))
	var all [][]byte
	if len(content) > 0 {
		all = bytes.Split(content, []byte("\n"))
	}
	slices.SortFunc(all, bytes.Compare)
	h := sha256.New()
	for _, line := range all {
		h.Write(line)
		h.Write([]byte("\n"))
	}
	return hex.EncodeToString(h.Sum(nil)), len(all), nil
}

// checkFile compares a file with its expected content. It returns a *DigestError, or an error if the file cannot be
// read.
func checkFile(path string, f File) error {
	if f.Bytes > 0 {
		return checkWhole(path, f)
	}
	got, lines, err := sortedDigest(path)
	if err != nil {
		return err
	}
	if got != f.Digest {
		return &DigestError{File: path, Expected: f.Digest, Got: got, Lines: lines, Triples: f.Triples}
	}
	return nil
}

// checkWhole is checkFile for a file that is not text.
func checkWhole(path string, f File) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(in, f.Bytes+1)); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != f.Digest || info.Size() != f.Bytes {
		return &DigestError{File: path, Expected: f.Digest, Got: got}
	}
	return nil
}

// Verify checks that the folder holds the set's files with the right content. It returns a *DigestError, or an error
// that names the file that cannot be read.
func (s Set) Verify(folder string) error {
	for _, f := range s.Files {
		if err := checkFile(filepath.Join(folder, f.Name), f); err != nil {
			return err
		}
	}
	return nil
}
