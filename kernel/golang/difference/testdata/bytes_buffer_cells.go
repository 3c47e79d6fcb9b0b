package main

import (
	"bytes"
	"fmt"
	"io"
)

type rot struct{ r io.Reader }

func (r rot) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for i, c := range p[:n] {
		if c >= 'a' && c <= 'z' {
			p[i] = 'a' + (c-'a'+13)%26
		}
	}
	return n, err
}

func main() {
	var b bytes.Buffer
	fmt.Fprintf(&b, "hello %d", 5)
	b.WriteByte('!')
	out, err := io.ReadAll(rot{&b})
	fmt.Println(string(out), err, b.Len())
	x := []byte("a,b,c")
	parts := bytes.Split(x, []byte(","))
	parts[0][0] = 'Z'
	fmt.Printf("%s %q %v\n", x, parts, bytes.Equal(parts[1], []byte{'b'}))
	fmt.Println(bytes.ToUpper(x), bytes.Contains(x, []byte("b")), bytes.TrimRight(x, "c,"))
	n, err := io.Copy(&b, io.LimitReader(rot{bytes.NewReader(bytes.Repeat([]byte("n"), 10))}, 4))
	fmt.Println(n, err, b.String())
	line, err := b.ReadString('x')
	fmt.Println(line, err)
}
