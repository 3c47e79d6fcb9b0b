package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/server"
	"github.com/spherelab/spherelab/tracker/web"
)

// usualListen is where the pages are unless --listen says otherwise. Addresses of pages stay valid from day to day.
const usualListen = "127.0.0.1:8327"

func (a *app) uiCommand() *cobra.Command {
	var listen, tokenFile string
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
			token, err := a.token(tokenFile)
			if err != nil {
				return err
			}
			announce := func(s *server.Server) error {
				address := "http://" + s.Address() + "/"
				if !quiet && s.Local() {
					a.openBrowser(cmd.Context(), address)
				}
				_, err := fmt.Fprintln(a.stdout, address)
				return err
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				err := a.serve(cmd.Context(), t, listen, token, announce)
				if errors.Is(err, syscall.EADDRINUSE) && listen == usualListen {
					return a.serve(cmd.Context(), t, "127.0.0.1:0", token, announce)
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&listen, "listen", usualListen, "`address` to listen on, host:port; port 0 takes any free one")
	f.StringVar(&tokenFile, "token-file", "", "a `file` with the token; default: $"+tokenVariable)
	f.BoolVar(&quiet, "no-browser", false, "print the address only")
	return cmd
}

// pages are the pages of the runs in a tracker.
func (a *app) pages(t *tracker.Tracker) http.Handler {
	reader := &runReader{app: a, tracker: t}
	return web.New(t, web.Options{First: programName() + " train", Reader: reader, Answerer: reader, Comparer: reader,
		Words: func(list []hint.Hint) string { return hintText(list, programName()) }})
}

// openBrowser shows an address in the user's browser, where there is a display. If that fails, the user has the
// printed address.
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
	go func() { _ = c.Wait() }() // whether it found a browser is its own affair
}
