package module

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
)

// sums are the checksums of a go.sum: by "path version" of the files, by "path version/go.mod" of the go.mod.
type sums struct {
	path  string
	known map[string]string
	added bool // some are not stored yet
	fixed bool // what is not known is refused: the file is not the notebooks'
}

// readSums reads the go.sum next to a go.mod.
func readSums(r *required) (*sums, error) {
	s := &sums{path: strings.TrimSuffix(r.path, "mod") + "sum", known: map[string]string{}, fixed: !r.own}
	text, err := os.ReadFile(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("checksums of modules: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 3 && strings.HasPrefix(words[2], "h1:") {
			s.known[words[0]+" "+words[1]] = words[2]
		}
	}
	return s, nil
}

// check compares a checksum with the known one, or makes it known.
func (s *sums) check(key, sum string) error {
	switch known := s.known[key]; {
	case known == sum:
		return nil
	case known != "":
		return fmt.Errorf("checksum of %s: it is %s, and go.sum has %s: what was downloaded is not what was required before",
			key, sum, known)
	case s.fixed:
		return fmt.Errorf("checksum of %s: %s has none", key, s.path)
	}
	s.known[key], s.added = sum, true
	return nil
}

func (s *sums) checkMod(m module.Version, text []byte) error {
	sum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	})
	if err != nil {
		return fmt.Errorf("checksum of %s: %w", m, err)
	}
	return s.check(m.Path+" "+m.Version+"/go.mod", sum)
}

func (s *sums) checkZip(m module.Version, zip string) error {
	sum, err := dirhash.HashZip(zip, dirhash.Hash1)
	if err != nil {
		return fmt.Errorf("checksum of %s: %w", m, err)
	}
	return s.check(m.Path+" "+m.Version, sum)
}

// store writes what was added.
func (s *sums) store() error {
	if !s.added {
		return nil
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.known)) {
		b.WriteString(key + " " + s.known[key] + "\n")
	}
	s.added = false
	if err := os.WriteFile(s.path, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("checksums of modules: %w", err)
	}
	return nil
}
