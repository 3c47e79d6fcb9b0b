package kernel_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
)

// shout is an engine for a language without errors: the value of a cell is its text in capital letters.
type shout struct{ io kernel.IO }

func (s *shout) Start(io kernel.IO) error { s.io = io; return nil }

func (s *shout) Execute(_ context.Context, c kernel.Cell) (kernel.Result, error) {
	fmt.Fprintln(s.io.Stdout(), "cell", c.Number)
	return kernel.Result{Data: display.Auto(strings.ToUpper(c.Code)), HasValue: true}, nil
}

func (s *shout) Complete(string, int) kernel.Completion             { return kernel.Completion{} }
func (s *shout) Inspect(string, int, int) (d display.Data, ok bool) { return d, false }
func (s *shout) IsComplete(string) (status, indent string)          { return "complete", "" }
func (s *shout) Interrupt()                                         {}
func (s *shout) Declared() []string                                 { return nil }
func (s *shout) Close() error                                       { return nil }

func (s *shout) Info() kernel.LanguageInfo {
	return kernel.LanguageInfo{Name: "shout", MIMEType: "text/plain", FileExtension: ".txt"}
}

// Jupyter starts a kernel with the path of a connection file, as its kernel.json says.
func ExampleServe() {
	if len(os.Args) < 2 {
		log.Fatal("usage: shout CONNECTION_FILE")
	}
	if err := kernel.Serve(context.Background(), os.Args[1], &shout{}); err != nil {
		log.Fatal(err)
	}
}
