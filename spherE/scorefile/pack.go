package scorefile

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Pack writes a text of scores, see OpenText, to w, compressed by gzip, and returns the digest that Scores.Digest has
// of it. Errors name path.
func Pack(w io.Writer, text io.Reader, path string) (digest string, err error) {
	hash, packed := sha256.New(), gzip.NewWriter(w)
	if _, err := io.Copy(io.MultiWriter(packed, hash), text); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), packed.Close()
}

// OpenText opens the text of scores about g that Read takes: a file of it, compressed where its name ends in .gz, or
// what a matrix of numpy makes, see Open.
func OpenText(path string, g *kg.Graph) (io.ReadCloser, error) {
	if isMatrix(path) {
		return openMatrix(path, g)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := unpack(file, path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{text, file}, nil
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
