package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/server"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/web"
)

// serverFlags are where a command serves and who may send requests.
type serverFlags struct {
	listen, tokenFile string
	anyPort           bool // if the port was not chosen by the user and is in use, a free one is used
}

func (f *serverFlags) add(cmd *cobra.Command, usual string) {
	cmd.Flags().StringVar(&f.listen, "listen", usual, "`address` to listen on, host:port; port 0 takes any free one")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "a `file` with the token; default: $"+open.TokenVariable)
}

// maxPages is the number of pages that are made at once. They have their own limit, so that readers do not delay a
// training's requests.
const maxPages = 64

// replayEvery is how often a server does what other commands do at their start.
const replayEvery = time.Minute

// startReplay stores what dead programs have left, marks their runs as failed, and makes the summaries of ended runs,
// at intervals until the returned function is called. Other commands do this at their start. A server starts once and
// receives runs for days; the next command would have to make all of their summaries at once.
func startReplay(ctx context.Context, t *postgres.Store, every time.Duration, say func(string)) (end func()) {
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
				say(fmt.Sprintf("the runs of dead programs are not updated for now: %v", err))
			}
			if err := t.Summarise(ctx); err != nil && ctx.Err() == nil {
				say(fmt.Sprintf("the summaries of ended runs are not up to date for now: %v", err))
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// serve answers MLflow's clients and browsers until an interrupt. It calls announce once the server listens.
func (a *app) serve(ctx context.Context, where serverFlags, announce func(*server.Server) error) error {
	token, err := open.Token(where.tokenFile, a.lookup)
	if err != nil {
		return usageError{err}
	}
	return a.withDatabase(ctx, func(t *postgres.Store) (err error) {
		say := func(line string) { fmt.Fprintln(a.stderr, visible.Line(line)) }
		api, err := mlflow.New(t, say)
		if err != nil {
			return err
		}
		defer func() { err = closeAnd(err, api) }()
		defer startReplay(ctx, t, replayEvery, say)()
		graphs := &graphRuns{app: a, tracker: t.Tracker, making: make(chan struct{}, 1)}
		defer graphs.open.Wait()
		o := server.Options{Address: where.listen, Token: token, Say: say,
			Ready: func(ctx context.Context) error { return t.DB().PingContext(ctx) },
			Mounts: []server.Mount{
				{Name: "mlflow", Prefixes: mlflow.Prefixes, Handler: api, Uploads: mlflow.Uploads},
				{Name: "pages", Prefixes: []string{"/"}, Handler: a.pages(ctx, t, graphs, say), Linked: true, Lasting: web.Follows,
					MaxActive: maxPages},
			}}
		s, err := server.Listen(o)
		if errors.Is(err, syscall.EADDRINUSE) && where.anyPort {
			o.Address = "127.0.0.1:0"
			s, err = server.Listen(o)
		}
		switch {
		case errors.Is(err, server.ErrNeedsToken):
			return usagef("%w; set one in %s or --token-file", err, open.TokenVariable)
		case errors.Is(err, syscall.EADDRINUSE):
			return usagef("%w; choose another port with --listen, 0 for any free one", err)
		case err != nil:
			return usageError{err}
		}
		if err := announce(s); err != nil {
			return err
		}
		return s.Serve(ctx)
	})
}

// pages returns the handler of the pages of the runs in a tracker.
func (a *app) pages(ctx context.Context, t *postgres.Store, graphs *graphRuns, say func(string)) http.Handler {
	return present.Handler(t.Tracker, t, say, present.Options{DataDirs: a.dataDirs, Log: a.stderr,
		AnswerGraph: func(data string) (string, error) { return graphs.answer(ctx, data) },
		Progress:    func() (progress.Listener, func()) { return a.progress(false) }})
}
