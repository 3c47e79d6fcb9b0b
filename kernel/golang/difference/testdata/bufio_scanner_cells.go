package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

type lines struct {
	rest []string
	err  error
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		return 0, l.err
	}
	n := copy(p, l.rest[0])
	l.rest[0] = l.rest[0][n:]
	if l.rest[0] == "" {
		l.rest = l.rest[1:]
	}
	return n, nil
}

type boom string

func (b boom) Error() string { return "boom " + string(b) }

func main() {
	s := bufio.NewScanner(&lines{[]string{"one two\nthr", "ee\n\nlast"}, io.EOF})
	for s.Scan() {
		fmt.Printf("%q ", s.Text())
	}
	fmt.Println(s.Err())
	s = bufio.NewScanner(&lines{[]string{"a b"}, boom("x")})
	s.Split(bufio.ScanWords)
	for s.Scan() {
		fmt.Print(s.Text(), ".")
	}
	fmt.Println(s.Err(), s.Err() == boom("x"))
	s = bufio.NewScanner(strings.NewReader("1,2,3"))
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if i := strings.IndexByte(string(data), ','); i >= 0 {
			return i + 1, data[:i], nil
		}
		if atEOF && len(data) > 0 {
			return len(data), data, bufio.ErrFinalToken
		}
		return 0, nil, nil
	})
	for s.Scan() {
		fmt.Print(s.Text(), ";")
	}
	fmt.Println()
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	fmt.Fprintf(w, "%d %v\n", w.Buffered(), boom("y"))
	r := bufio.NewReader(&lines{[]string{"x", "yz\nq"}, io.EOF})
	line, err := r.ReadString('\n')
	fmt.Fprintf(w, "%q %v\n", line, err)
}
