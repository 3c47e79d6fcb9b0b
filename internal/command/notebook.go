package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/kernel/prelude"
	"github.com/spherelab/spherelab/kernel/program"
)

func (a *app) notebookCommand() *cobra.Command {
	return group("notebook", "Notebooks outside Jupyter", a.notebookToGoCommand())
}

func (a *app) notebookToGoCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "to-go FILE.ipynb", Short: "Write a notebook as a Go program", Args: arguments(1, 1),
		Long: `Write a notebook as a Go program that prints what its cells print and show. Each cell becomes a function, and its text a
comment. Calls of package lab stay as they are; %%sql and %%writefile become calls. The cells are checked and not run. What a
program cannot have, as %pip or a shell command, is refused with its place.

The program needs a module that has this one: go mod init NAME, go get github.com/spherelab/spherelab. If cells
import modules by %get, its go.mod needs the same lines require and replace as the notebook's.`,
		Example: `  spherelab notebook to-go analysis.ipynb -o analysis/main.go
  go run ./analysis`,
		RunE: func(_ *cobra.Command, args []string) error {
			content, err := os.ReadFile(args[0])
			if err != nil {
				return usageError{err}
			}
			dir, err := filepath.Abs(filepath.Dir(args[0]))
			if err != nil {
				return err
			}
			code, err := prelude.Program(filepath.Base(args[0]), content, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if output == "" {
				_, err := a.stdout.Write(code)
				return err
			}
			if !strings.HasSuffix(output, ".go") {
				return usagef("-o %s: must end in .go", output)
			}
			if old, err := os.ReadFile(output); err == nil && !program.IsWritten(old) {
				return usagef("%s is there already and is not the program of a notebook; name another file", output)
			}
			if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
				return err
			}
			if err := atomicfile.Write(output, code, 0o644); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "wrote %s\n", output)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write, or to replace if this command wrote it; default: standard output")
	return cmd
}
