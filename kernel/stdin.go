package kernel

import (
	"errors"
	"io"
	"sync"
	"unicode/utf8"
)

// Stdin is os.Stdin of cells: reading asks the front end for a line.
type Stdin struct {
	line   func() (string, error)
	mu     sync.Mutex
	rest   []byte // of the last line
	last   int    // size of what ReadRune read last, for UnreadRune; 0 if nothing
	before []byte // rest before the last ReadRune
}

// NewStdin returns an input that gets its lines, without their ends, from a function.
func NewStdin(line func() (string, error)) *Stdin { return &Stdin{line: line} }

// fill asks for a line when none is left.
func (s *Stdin) fill() error {
	if len(s.rest) > 0 {
		return nil
	}
	line, err := s.line()
	if err != nil {
		return err
	}
	s.rest = []byte(line + "\n")
	return nil
}

// Forget drops what the last cell left of its last line.
func (s *Stdin) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest, s.before, s.last = nil, nil, 0
}

// Read reads at most to the end of the line.
func (s *Stdin) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if err := s.fill(); err != nil {
		return 0, err
	}
	n := copy(p, s.rest)
	s.rest, s.last = s.rest[n:], 0
	return n, nil
}

// ReadRune and UnreadRune let fmt.Scan and its relatives stop exactly where they should.
func (s *Stdin) ReadRune() (rune, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fill(); err != nil {
		return 0, 0, err
	}
	r, n := utf8.DecodeRune(s.rest)
	s.before, s.rest, s.last = s.rest, s.rest[n:], n
	return r, n, nil
}

// UnreadRune takes the last ReadRune back.
func (s *Stdin) UnreadRune() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == 0 {
		return errors.New("nothing to unread")
	}
	s.rest, s.last = s.before, 0
	return nil
}

// Close does nothing: the input is the front end's.
func (s *Stdin) Close() error { return nil }

// Name returns the name of os.Stdin.
func (s *Stdin) Name() string { return "/dev/stdin" }

var _ io.RuneScanner = (*Stdin)(nil)
