package prelude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spherelab/spherelab/kernel/kernelspec"
	"github.com/spherelab/spherelab/tracker/pgprivate"
)

// Main is the main function of a kernel of your own:
//
//	mykernel install NAME       make it known to Jupyter, for this user
//	mykernel CONNECTION_FILE    what Jupyter runs
//
// It does not return.
func Main(o Options) {
	pgprivate.MaybeSupervise() // this program, started again, supervises a private database
	if err := ownMain(os.Args[1:], o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func ownMain(args []string, o Options) error {
	switch {
	case len(args) == 2 && args[0] == "install":
		dataDir, err := kernelspec.Place{}.Dir(context.Background(), os.Getenv)
		if err != nil {
			return err
		}
		done, err := kernelspec.Installation{
			Env: os.Getenv, DataDir: dataDir, Name: args[1], DisplayName: "Go (" + args[1] + ")",
		}.Install()
		if err == nil {
			fmt.Println("installed", done.Dir)
		}
		return err
	case len(args) == 1 && args[0] != "install" && !strings.HasPrefix(args[0], "-"):
		return Serve(context.Background(), args[0], o)
	}
	return errors.New("usage: install NAME | CONNECTION_FILE")
}
