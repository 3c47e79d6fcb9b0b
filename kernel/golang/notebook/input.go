package notebook

import (
	"errors"

	"github.com/spherelab/spherelab/kernel"
)

// noInput is the panic that ends a cell which reads where the front end takes no input.
type noInput struct{ error }

// readLine asks the front end for a line, for os.Stdin of cells.
func (e *Engine) readLine() (string, error) {
	e.flush() // a printed prompt comes before the input field
	line, err := e.io.ReadLine(*e.last.Load(), "", false)
	if errors.Is(err, kernel.ErrNoStdin) {
		panic(noInput{err})
	}
	return line, err
}
