package main

import (
	"encoding"
	"flag"
	"fmt"
	"io"
	"net/netip"
)

type Mode string

func (m *Mode) Set(s string) error {
	if s == "" {
		return fmt.Errorf("empty mode")
	}
	*m = Mode(s)
	return nil
}
func (m *Mode) String() string { return string(*m) }

type Temp struct{ C float64 }

func (t Temp) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%gC", t.C), nil }
func (t *Temp) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%gC", &t.C)
	return err
}

func main() {
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var m Mode
	var t Temp
	fs.Var(&m, "mode", "the mode")
	n := fs.Int("n", 3, "count")
	fmt.Println(fs.Parse([]string{"-mode", "fast", "-n=4", "rest"}), m, t, *n, fs.Args())
	fmt.Println(fs.Parse([]string{"-mode="}))
	fmt.Println(fs.Lookup("n").DefValue, t.UnmarshalText([]byte("36.6C")), fs.NFlag())
	var tm encoding.TextMarshaler = t
	b, err := tm.MarshalText()
	fmt.Println(string(b), err, netip.MustParseAddr("10.0.0.1").IsPrivate())
}
