package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/loopback"
	"github.com/spherelab/spherelab/tracker/web"
)

// usualListen is where the pages are unless --listen says otherwise. Addresses of pages stay valid from day to day.
const usualListen = "127.0.0.1:8327"

func (a *app) uiCommand() *cobra.Command {
	var listen string
	var quiet bool
	cmd := &cobra.Command{
		Use: "ui", Short: "Show the runs in the browser", Args: arguments(0, 0),
		Long: `Show the runs in the browser, until Ctrl-C.

The pages are served to this machine alone, since they show every run. From another machine, ssh -L carries them.
If the usual port is in use, another one is taken; --listen names one. The browser is opened where there is a display;
the address is printed in any case.`,
		Example: `  spherelab ui
  spherelab ui --listen 127.0.0.1:9000 --no-browser`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				l, err := a.listenUI(listen)
				if err != nil {
					return err
				}
				address := "http://" + l.Addr().String() + "/"
				if _, err := fmt.Fprintln(a.stdout, address); err != nil {
					return closing(err, l)
				}
				if !quiet {
					a.openBrowser(cmd.Context(), address)
				}
				return loopback.Serve(cmd.Context(), l, a.pages(t))
			})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", usualListen, "`ADDRESS` of this machine's loopback, HOST:PORT; port 0 is any")
	cmd.Flags().BoolVar(&quiet, "no-browser", false, "print the address only")
	return cmd
}

// listenUI listens. Another program may have the usual port, and then any other will do.
func (a *app) listenUI(address string) (net.Listener, error) {
	l, err := loopback.Listen(address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE) && address == usualListen:
		return loopback.Listen("127.0.0.1:0")
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("another program listens on %s; --listen takes another port, 0 for any free one", address)
	case errors.As(err, new(*net.OpError)):
		return nil, err
	}
	return nil, usagef("--listen: %w", err)
}

// pages are the pages of the runs in a tracker.
func (a *app) pages(t *tracker.Tracker) http.Handler {
	reader := &runReader{app: a, tracker: t}
	return web.New(t, web.Options{First: programName() + " train", Reader: reader, Answerer: reader,
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
