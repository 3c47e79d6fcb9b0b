package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/server"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/web"
)

// tokenVariable holds the token of the server.
const tokenVariable = "SPHERELAB_TOKEN"

// serverFlags say where a command serves and who may ask.
type serverFlags struct {
	listen, tokenFile string
	anyPort           bool // if nobody has chosen the port and it is in use, any free one is taken
}

func (f *serverFlags) add(cmd *cobra.Command, usual string) {
	cmd.Flags().StringVar(&f.listen, "listen", usual, "`address` to listen on, host:port; port 0 takes any free one")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "a `file` with the token; default: $"+tokenVariable)
}

// token is the server's token from a file or the environment, never from an argument, which every user can read.
func (a *app) token(file string) (string, error) {
	if file == "" {
		if token := a.lookup(tokenVariable); token != "" {
			return token, nil
		}
		if file = a.lookup(tokenVariable + "_FILE"); file == "" {
			return "", nil
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", usagef("the token cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" {
		return "", usagef("the file %s has no token", file)
	}
	return token, nil
}

// mostPages is how many pages are made at once. They have places of their own, so that readers stop no training.
const mostPages = 64

// replayEvery is how often a server does what other commands do when they begin.
const replayEvery = time.Minute

// replaying stores what programs that died have left, marks their runs as failed, and makes the summaries of runs that
// have ended, again and again until the returned function is called. Other commands do it when they begin; a server
// begins once and takes runs for days, whose summaries the next command would have to make all at once.
func replaying(ctx context.Context, t *tracker.Tracker, every time.Duration, say func(string)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		again := time.NewTicker(every)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			if _, err := t.ReplaySpools(ctx); err != nil && ctx.Err() == nil {
				say(fmt.Sprintf("runs of programs that died stay as they are for now: %v", err))
			}
			if err := t.Summarise(ctx); err != nil && ctx.Err() == nil {
				say(fmt.Sprintf("the summaries of ended runs are not up to date for now: %v", err))
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// serve answers MLflow's clients and browsers until an interrupt. announce is told of the server once it listens.
func (a *app) serve(ctx context.Context, where serverFlags, announce func(*server.Server) error) error {
	token, err := a.token(where.tokenFile)
	if err != nil {
		return err
	}
	return a.withDatabase(ctx, func(t *tracker.Tracker) (err error) {
		say := func(line string) { fmt.Fprintln(a.stderr, visible.Line(line)) }
		api, err := mlflow.New(t, say)
		if err != nil {
			return err
		}
		defer func() { err = closing(err, api) }()
		defer replaying(ctx, t, replayEvery, say)()
		o := server.Options{Address: where.listen, Token: token, Say: say,
			Ready: func(ctx context.Context) error { return t.DB().PingContext(ctx) },
			Mounts: []server.Mount{
				{Name: "mlflow", Prefixes: mlflow.Prefixes, Handler: api, Uploads: mlflow.Uploads},
				{Name: "pages", Prefixes: []string{"/"}, Handler: a.pages(t, say), Linked: true, Lasting: web.Follows,
					Most: mostPages},
			}}
		s, err := server.Listen(o)
		if errors.Is(err, syscall.EADDRINUSE) && where.anyPort {
			o.Address = "127.0.0.1:0"
			s, err = server.Listen(o)
		}
		switch {
		case errors.Is(err, server.ErrNeedsToken):
			return usagef("%w; give one in %s or --token-file", err, tokenVariable)
		case errors.Is(err, syscall.EADDRINUSE):
			return usagef("%w; --listen takes another port, 0 for any free one", err)
		case err != nil:
			return usageError{err}
		}
		if err := announce(s); err != nil {
			return err
		}
		return s.Serve(ctx)
	})
}

// pageAddress is where a browser finds a server that listens at an address. All addresses of a machine have its name.
func pageAddress(listening string) string {
	host, port, err := net.SplitHostPort(listening)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			listening = net.JoinHostPort(name, port)
		}
	}
	return "http://" + listening + "/"
}

// firstCommand is what makes a run, of an experiment unless it is "".
func firstCommand(experiment string) string {
	if experiment == "" {
		return programName() + " train"
	}
	return programName() + " train --set tracker.experiment=" + quoteShell(experiment)
}

// pages are the pages of the runs in a tracker.
func (a *app) pages(t *tracker.Tracker, say func(string)) http.Handler {
	reader := newRunReader(a, t)
	return web.New(t, web.Options{First: firstCommand, Reader: reader, Answerer: reader, Comparer: reader,
		SweepTag: experiments.TagSweep, TrialTag: experiments.TagTrial, Say: say,
		Words: func(list []hint.Hint) string { return hintText(list, programName()) }})
}
