package prelude

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spherelab/spherelab/kernel/kernelspec"
	"github.com/spherelab/spherelab/tracker/pgprivate"
)

// Main is the whole main function of a kernel of one's own:
//
//	mykernel install NAME       tell Jupyter of it, for this user
//	mykernel CONNECTION_FILE    what Jupyter runs
//
// It does not return.
func Main(o Options) {
	pgprivate.MaybeSupervise() // a private database's supervisor is this program started again
	if err := ownMain(os.Args[1:], o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func ownMain(args []string, o Options) error {
	switch {
	case len(args) == 2 && args[0] == "install":
		program, err := os.Executable()
		if err != nil {
			return err
		}
		if kernelspec.Passing(program) {
			return errors.New("`go run` removes its program when it ends; build it and install from where it stays")
		}
		user, err := kernelspec.UserDir(os.Getenv)
		if err != nil {
			return err
		}
		logos, err := kernelspec.Logos()
		if err != nil {
			return err
		}
		dir, err := kernelspec.Install(user, args[1], kernelspec.Spec{
			Argv: []string{program, "{connection_file}"}, DisplayName: "Go (" + args[1] + ")", Language: "go", InterruptMode: "message",
		}, logos)
		if err == nil {
			fmt.Println("installed", dir)
		}
		return err
	case len(args) == 1 && args[0] != "install":
		return Serve(context.Background(), args[0], o)
	}
	return errors.New("usage: install NAME | CONNECTION_FILE")
}
