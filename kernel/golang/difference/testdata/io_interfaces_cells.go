package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

type zeros struct{ left int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left, 3)
	clear(p[:n])
	z.left -= n
	return n, nil
}

type from struct{ bytes.Buffer }

type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error { c.closed = true; return errors.New("close") }

func main() {
	var b strings.Builder
	c := &counter{w: &b}
	n, err := io.Copy(c, io.MultiReader(strings.NewReader("ab"), &zeros{4}))
	fmt.Printf("%d %v %d %q\n", n, err, c.n, b.String())
	var f from
	n, err = io.Copy(&f, &zeros{5})
	fmt.Println(n, err, f.Len())
	tee := io.TeeReader(strings.NewReader("tee"), c)
	all, _ := io.ReadAll(tee)
	fmt.Println(string(all), c.n)
	var rc io.ReadCloser = &closer{Reader: strings.NewReader("x")}
	fmt.Println(rc.Close(), rc.(*closer).closed)
	_, err = io.ReadFull(&zeros{2}, make([]byte, 5))
	fmt.Println(err, err == io.ErrUnexpectedEOF)
	pr, pw := io.Pipe()
	go func() { fmt.Fprint(pw, "piped"); pw.CloseWithError(errors.New("end")) }()
	all, err = io.ReadAll(pr)
	fmt.Println(string(all), err)
	mw := io.MultiWriter(c, &f)
	io.WriteString(mw, "multi")
	fmt.Println(c.n, f.Len())
	sr := io.NewSectionReader(strings.NewReader("0123456789"), 2, 5)
	all, _ = io.ReadAll(sr)
	fmt.Println(string(all))
}
