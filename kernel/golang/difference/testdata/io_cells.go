package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

type upper struct{ r io.Reader }

func (u upper) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	copy(p, bytes.ToUpper(p[:n]))
	return n, err
}

type counter struct {
	n     int
	lines int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	c.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

type limited struct{ left int }

func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), l.left)
	for i := range n {
		p[i] = byte('a' + i%3)
	}
	l.left -= n
	return n, nil
}

type closer struct{ io.Reader }

func (closer) Close() error { fmt.Println("closed"); return nil }

func main() {
	b, err := io.ReadAll(upper{strings.NewReader("hello")})
	fmt.Println(string(b), err)
	c := &counter{}
	n, err := io.Copy(c, io.TeeReader(&limited{10}, c))
	fmt.Println(n, err, c.n)
	fmt.Fprintf(c, "%d\n%s\n", 1, "x")
	fmt.Println(*c)
	sc := bufio.NewScanner(upper{strings.NewReader("a b\nc d")})
	for sc.Scan() {
		fmt.Println(sc.Text())
	}
	var rc io.ReadCloser = closer{&limited{3}}
	b, _ = io.ReadAll(rc)
	fmt.Println(string(b), rc.Close())
	w := io.MultiWriter(c, io.Discard)
	io.WriteString(w, "abc")
	fmt.Println(c.n)
	pr, pw := io.Pipe()
	go func() { fmt.Fprint(pw, "through"); pw.CloseWithError(io.ErrUnexpectedEOF) }()
	b, err = io.ReadAll(pr)
	fmt.Println(string(b), err)
	bw := bufio.NewWriter(c)
	bw.WriteString("buffered")
	fmt.Println(bw.Buffered(), bw.Flush())
	fmt.Println(c.n)
	var s string
	var k int
	fmt.Fscan(&limited{4}, &s)
	fmt.Sscanf("7 x", "%d %s", &k, &s)
	fmt.Println(s, k)
}
