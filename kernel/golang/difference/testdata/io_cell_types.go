// Readers, writers, file systems and handlers of the program in packages.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"
	"unicode"
)

type Word struct {
	Text  string
	Count int
}

type upper struct{ w io.Writer }

func (u upper) Write(p []byte) (int, error) { return u.w.Write(bytes.ToUpper(p)) }

type lineReader struct {
	lines []string
	buf   []byte
}

func (l *lineReader) Read(p []byte) (int, error) {
	if len(l.buf) == 0 {
		if len(l.lines) == 0 {
			return 0, io.EOF
		}
		l.buf, l.lines = []byte(l.lines[0]+"\n"), l.lines[1:]
	}
	n := copy(p, l.buf)
	l.buf = l.buf[n:]
	return n, nil
}

type handler struct {
	slog.Handler
	prefix string
}

type memFS map[string]string

func (m memFS) Open(name string) (fs.File, error) {
	if s, ok := m[name]; ok {
		return fstest.MapFS{name: {Data: []byte(s)}}.Open(name)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type set[T cmp.Ordered] struct{ m map[T]bool }

func (s set[T]) sorted() []T {
	var out []T
	for k := range s.m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

type visitor func(path string, d fs.DirEntry) error

func (v visitor) walk(root fs.FS) error {
	return fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return v(path, d)
	})
}

func count(r io.Reader) []Word {
	m := map[string]int{}
	sc := bufio.NewScanner(r)
	sc.Split(bufio.ScanWords)
	for sc.Scan() {
		m[strings.ToLower(strings.TrimFunc(sc.Text(), unicode.IsPunct))]++
	}
	var ws []Word
	for k, n := range m {
		ws = append(ws, Word{k, n})
	}
	slices.SortFunc(ws, func(a, b Word) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Text, b.Text)) })
	return ws
}

func main() {
	fmt.Println(count(&lineReader{lines: []string{"The cat, the dog.", "A cat!"}}))
	w := bufio.NewWriter(upper{os.Stdout})
	fmt.Fprintf(w, "%-5s|%5s\n", "ab", "cd")
	w.Flush()
	fmt.Fprintln(io.MultiWriter(upper{os.Stdout}, os.Stdout), "both")

	b, err := fs.ReadFile(memFS{"a.txt": "content"}, "a.txt")
	fmt.Println(string(b), err)
	_, err = fs.ReadFile(memFS{}, "b")
	var pe *fs.PathError
	fmt.Println(err, errors.Is(err, fs.ErrNotExist), errors.As(err, &pe))
	files := fstest.MapFS{"d/x.go": {Data: []byte("x")}, "d/e/y.txt": {}, "z": {}}
	var seen []string
	err = visitor(func(p string, d fs.DirEntry) error {
		if d.IsDir() && d.Name() == "e" {
			return fs.SkipDir
		}
		seen = append(seen, p)
		return nil
	}).walk(files)
	fmt.Println(seen, err)
	stop := errors.New("stop")
	fmt.Println(visitor(func(string, fs.DirEntry) error { return stop }).walk(files) == stop)

	u, err := url.Parse("https://u:p@h:8080/a%20b/?q=1&q=2&z=%2F#f")
	fmt.Println(u.Host, u.Path, u.Query()["q"], u.Fragment, u.User, err, u)
	fmt.Println(filepath.Join("a", "../b", "/c"), filepath.Ext("x.tar.gz"), filepath.Base("/a/b/"))
	fmt.Println(set[string]{map[string]bool{"b": true, "a": true}}.sorted())

	l := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(g []string,
		a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	l.With("a", 1).WithGroup("g").Info("msg", "k", "v w", slog.Int("n", 2))
	slog.New(handler{l.Handler(), "p"}).Warn("wrapped", "x", 1.5)

	pr, pw := io.Pipe()
	go func() {
		defer pw.Close()
		for i := range 3 {
			fmt.Fprintln(pw, "line", i)
		}
	}()
	sc := bufio.NewScanner(pr)
	for sc.Scan() {
		fmt.Print(sc.Text(), ";")
	}
	fmt.Println(sc.Err())
	rw := bufio.NewReadWriter(bufio.NewReader(strings.NewReader("in put")), bufio.NewWriter(os.Stdout))
	s, err := rw.ReadString(' ')
	fmt.Fprintf(rw, "%q %v\n", s, err)
	rw.Flush()
	var out bytes.Buffer
	n, err := io.CopyN(upper{&out}, &lineReader{lines: []string{"abc", "def"}}, 5)
	fmt.Printf("%d %v %q\n", n, err, out.String())
	_, err = io.CopyN(io.Discard, strings.NewReader("x"), 2)
	fmt.Println(err == io.EOF)
}
