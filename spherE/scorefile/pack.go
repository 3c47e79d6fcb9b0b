package scorefile

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// Pack writes the text of a file of scores to w, compressed by gzip, and returns the digest that Scores.Digest has of
// it.
func Pack(w io.Writer, path string) (digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := unpack(file, path)
	if err != nil {
		return "", err
	}
	hash, packed := sha256.New(), gzip.NewWriter(w)
	if _, err := io.Copy(io.MultiWriter(packed, hash), text); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), packed.Close()
}

// unpack reads the text of a file of scores.
func unpack(file io.Reader, path string) (io.Reader, error) {
	if !strings.HasSuffix(path, ".gz") {
		return file, nil
	}
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}
