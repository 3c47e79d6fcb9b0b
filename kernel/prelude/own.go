package prelude

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spherelab/spherelab/kernel/kernelspec"
)

// Main is the main function of a kernel of your own:
//
//	mykernel install NAME       make it known to Jupyter, for this user
//	mykernel CONNECTION_FILE    what Jupyter runs
//
// It does not return.
func Main(o Options) {
	if err := ownMain(os.Args[1:], os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func ownMain(args []string, out io.Writer, o Options) error {
	switch {
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h" || args[0] == "help"):
		_, err := fmt.Fprintln(out, usage())
		return err
	case len(args) == 2 && args[0] == "install" && !strings.HasPrefix(args[1], "-"):
		dataDir, err := kernelspec.Place{}.Dir(context.Background(), os.Getenv)
		if err != nil {
			return err
		}
		done, err := kernelspec.Installation{
			Env: os.Getenv, DataDir: dataDir, Name: args[1], DisplayName: "Go (" + args[1] + ")",
		}.Install()
		if err == nil {
			fmt.Fprintf(out, "installed %s\nIn JupyterLab choose %q.\n", done.Dir, "Go ("+args[1]+")")
		}
		return err
	case len(args) == 1 && args[0] != "install" && !strings.HasPrefix(args[0], "-"):
		return Serve(context.Background(), args[0], o)
	}
	return errors.New(usage())
}

func usage() string {
	name := filepath.Base(os.Args[0])
	return "usage: " + name + " install NAME       make this kernel known to Jupyter under a name, for this user\n" +
		"       " + name + " CONNECTION_FILE    run the kernel, as Jupyter does"
}
