package main

import (
	"fmt"
	"io"
	"strings"
)

type upper struct{ w io.Writer }

func (u upper) Write(p []byte) (int, error) { return u.w.Write([]byte(strings.ToUpper(string(p)))) }

type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}
func main() {
	var b strings.Builder
	fmt.Fprintf(upper{&b}, "hi %v", []string{"x"})
	c := &counted{Reader: strings.NewReader("hello")}
	n, err := io.Copy(io.MultiWriter(upper{&b}, &b), c)
	fmt.Println(b.String(), n, err, c.n)
}
