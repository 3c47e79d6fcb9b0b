// Methods that packages ask a reader, writer, flag or random source for.
package main

import (
	"bytes"
	"compress/flate"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strings"
)

type boolFlag bool

func (b *boolFlag) String() string     { return fmt.Sprint(*b) }
func (b *boolFlag) Set(s string) error { *b = s == "true"; return nil }
func (b *boolFlag) IsBoolFlag() bool   { return true }

type list []string

func (l *list) String() string     { return fmt.Sprint(*l) }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

type body struct {
	io.Reader
	closed *int
}

func (b body) Close() error { *b.closed++; return nil }

type trip func(*http.Request) (*http.Response, error)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

type text struct {
	s     string
	calls []string
}

func (t *text) Read(p []byte) (int, error) {
	t.calls = append(t.calls, "Read")
	n := copy(p, t.s)
	t.s = t.s[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

type toText struct{ text }

func (t *toText) WriteTo(w io.Writer) (int64, error) {
	t.calls = append(t.calls, "WriteTo")
	n, err := io.WriteString(w, t.s)
	return int64(n), err
}

type byteText struct{ text }

func (t *byteText) ReadByte() (byte, error) {
	if t.s == "" {
		return 0, io.EOF
	}
	c := t.s[0]
	t.s = t.s[1:]
	return c, nil
}

type full struct{ *strings.Reader }

func (f full) Close() error { return fmt.Errorf("closed with %d left", f.Len()) }

type sink struct {
	b     strings.Builder
	calls []string
}

func (s *sink) Write(p []byte) (int, error) {
	s.calls = append(s.calls, "Write")
	return s.b.Write(p)
}

type textSink struct{ sink }

func (s *textSink) WriteString(t string) (int, error) {
	s.calls = append(s.calls, "WriteString")
	return s.b.WriteString(t)
}

type fromSink struct{ textSink }

func (s *fromSink) ReadFrom(r io.Reader) (int64, error) {
	s.calls = append(s.calls, "ReadFrom")
	data, err := io.ReadAll(r)
	s.b.Write(data)
	return int64(len(data)), err
}

type counter struct{ n uint64 }

func (c *counter) Int63() int64 { c.n++; return int64(c.n) }
func (c *counter) Seed(s int64) { c.n = uint64(s) }

type counter64 struct{ counter }

func (c *counter64) Uint64() uint64 { c.n += 1 << 40; return c.n }

func flags() {
	set := flag.NewFlagSet("x", flag.ContinueOnError)
	set.SetOutput(os.Stdout)
	set.Usage = func() { fmt.Println("usage") }
	var b boolFlag
	var l list
	set.Var(&b, "v", "verbose")
	set.Var(&l, "l", "list")
	err := set.Parse([]string{"-v", "-l", "a", "-l=b", "rest"})
	fmt.Println(b, l, err, set.Args())
	fmt.Println(set.Parse([]string{"-v=false", "-l"}), b)
	set.VisitAll(func(f *flag.Flag) { fmt.Println(f.Name, f.Value, f.DefValue) })
}

func requests() {
	closed := 0
	client := &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
		data, err := io.ReadAll(r.Body)
		r.Body.Close()
		answer := io.NopCloser(strings.NewReader("got " + string(data)))
		return &http.Response{StatusCode: http.StatusCreated, Body: answer, Header: http.Header{}}, err
	})}
	request, err := http.NewRequest("POST", "http://x/", body{strings.NewReader("hello"), &closed})
	fmt.Println(err, request.ContentLength)
	response, err := client.Do(request)
	data, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(data), err, closed)
}

func copies() {
	for _, from := range []io.Reader{&text{s: "plain"}, &toText{text{s: "to"}}, &byteText{text{s: "bytes"}},
		full{strings.NewReader("full")}} {
		for _, to := range []io.Writer{&sink{}, &textSink{}, &fromSink{}} {
			n, err := io.Copy(to, from)
			fmt.Println(n, err)
			io.WriteString(to, "!")
			switch to := to.(type) {
			case *fromSink:
				fmt.Println(to.calls, to.b.String())
			case *textSink:
				fmt.Println(to.calls, to.b.String())
			case *sink:
				fmt.Println(to.calls, to.b.String())
			}
		}
		if c, ok := from.(io.Closer); ok {
			fmt.Println(c.Close())
		}
	}
}

func main() {
	flags()
	requests()
	copies()

	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, 9)
	io.WriteString(w, "compressed")
	w.Close()
	rest := &byteText{text{s: packed.String() + " and more"}}
	data, err := io.ReadAll(flate.NewReader(rest))
	fmt.Printf("%s %v %q\n", data, err, rest.s)

	fmt.Println(rand.New(&counter{}).Uint64(), rand.New(&counter64{}).Uint64(), rand.New(&counter64{}).Int63())
}
