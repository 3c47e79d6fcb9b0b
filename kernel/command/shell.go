package command

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spherelab/spherelab/kernel"
)

// shell runs a command of the system's shell. Its output is the cell's; the cell's interrupt kills it with everything
// it started.
func (c *Cell) shell(line string) error {
	line = strings.TrimSpace(line)
	if line == "" {
		return nil
	}
	var cmd *exec.Cmd
	if sh, err := exec.LookPath("sh"); err == nil {
		cmd = exec.CommandContext(c.Context, sh, "-c", line)
	} else {
		args := strings.Fields(line)
		cmd = exec.CommandContext(c.Context, args[0], args[1:]...)
	}
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.WaitDelay = time.Second
	killGroup(cmd)
	err := cmd.Run()
	if err != nil && c.Session.Interrupted() {
		return &kernel.CellError{Name: kernel.NameInterrupted, Value: "the cell was interrupted, and the command was stopped"}
	}
	var status *exec.ExitError
	if errors.As(err, &status) {
		return fmt.Errorf("%s: %s", line, status)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}
