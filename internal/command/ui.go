package command

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/tracker/server"
)

// usualListen is the default address of the pages. It is fixed, so that bookmarks of pages stay valid.
const usualListen = "127.0.0.1:8327"

func (a *app) uiCommand() *cobra.Command {
	var where serverFlags
	var quiet bool
	cmd := &cobra.Command{
		Use: "ui", Short: "Show the runs in the browser", Args: arguments(0, 0),
		Long: `Show the runs in the browser, until Ctrl-C.

The server also answers MLflow's clients. Only this machine reaches it; ssh -L carries the pages to another one. If the
usual port is in use, another one is taken. --listen names one; an address that other machines reach needs a token, as
in the help of tracker serve. The browser is opened where there is a display; the address is printed in any case.`,
		Example: `  spherelab ui
  spherelab ui --listen 127.0.0.1:9000 --no-browser`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			where.anyPort = !cmd.Flags().Changed("listen")
			return a.serve(cmd.Context(), where, func(s *server.Server) error {
				address := present.Address(s.Address())
				if !s.Local() {
					fmt.Fprintln(a.stderr, "browsers ask for a user and a password: any user, and the token")
				} else if !quiet {
					a.openBrowser(cmd.Context(), address)
				}
				_, err := fmt.Fprintln(a.stdout, address)
				return err
			})
		},
	}
	where.add(cmd, usualListen)
	cmd.Flags().BoolVar(&quiet, "no-browser", false, "print the address only")
	return cmd
}

// openBrowser opens an address in the user's browser, if there is a display. If that fails, the user has the printed
// address.
func (a *app) openBrowser(ctx context.Context, address string) {
	program := ""
	switch {
	case runtime.GOOS == "darwin":
		program = "open"
	case a.lookup("BROWSER") != "" || a.lookup("DISPLAY") != "" || a.lookup("WAYLAND_DISPLAY") != "":
		program = "xdg-open"
	default:
		return
	}
	c := exec.CommandContext(ctx, program, address)
	c.Env = a.env
	if err := c.Start(); err != nil {
		fmt.Fprintf(a.stderr, "note: the browser cannot be opened: %v\n", err)
		return
	}
	go func() { _ = c.Wait() }() // its exit code does not matter
}
