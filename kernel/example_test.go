package kernel_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"

	"github.com/spherelab/spherelab/kernel"
)

func ExampleNewCapture() {
	var seen bytes.Buffer
	c, err := kernel.NewCapture(&seen)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(c.File, "from this program")
	child := exec.Command("echo", "from a child process")
	child.Stdout = c.File
	if err := child.Run(); err != nil {
		log.Fatal(err)
	}
	c.Sync() // all that was written before is in seen now
	c.Close()
	fmt.Fprint(os.Stdout, seen.String())
	// Output:
	// from this program
	// from a child process
}

func ExampleNewStdin() {
	lines := []string{"Anna", "Bert"}
	stdin := kernel.NewStdin(func() (string, error) { // asks the front end
		if len(lines) == 0 {
			return "", io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return line, nil
	})
	for {
		var name string
		if _, err := fmt.Fscanln(stdin, &name); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Println("hello", name)
	}
	// Output:
	// hello Anna
	// hello Bert
}
