package main

import (
	"fmt"
	"time"
)

type server struct {
	host string
	port int
	wait time.Duration
	tags []string
}
type option func(*server) error

func port(n int) option {
	return func(s *server) error {
		if n <= 0 {
			return fmt.Errorf("port %d", n)
		}
		s.port = n
		return nil
	}
}
func tag(t ...string) option {
	return func(s *server) error { s.tags = append(s.tags, t...); return nil }
}
func wait(d time.Duration) option { return func(s *server) error { s.wait = d; return nil } }
func start(host string, options ...option) (*server, error) {
	s := &server{host: host, port: 80}
	for i, o := range options {
		if err := o(s); err != nil {
			return nil, fmt.Errorf("option %d: %w", i, err)
		}
	}
	return s, nil
}
func main() {
	s, err := start("a", port(8080), tag("x", "y"), wait(1500*time.Millisecond))
	fmt.Printf("%+v %v\n", *s, err)
	s, err = start("b", tag(), port(-1))
	fmt.Println(s, err)
}
