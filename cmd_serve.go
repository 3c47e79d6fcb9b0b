package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/server"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/web"
)

// tokenVariable holds the token of the server.
const tokenVariable = "SPHERELAB_TOKEN"

func (a *app) serveCommand() *cobra.Command {
	var listen, tokenFile string
	var hold bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the database to MLflow's clients and browsers", Args: arguments(0, 0),
		Long: `Serve the runs to browsers as pages, and experiments, runs, metrics, params, tags, datasets and artifacts to
MLflow's clients by MLflow's REST API 2.0. Ctrl-C ends the server after the requests in progress.

Programs of this machine need no token. An address that other machines reach needs one, of 16 characters or more, in
` + tokenVariable + ` or in a file. Clients send it as MLFLOW_TRACKING_TOKEN; browsers ask for it as the password of
any user. The server speaks HTTP: on a network that you do not trust, put a proxy with TLS before it.

/healthz says whether the database answers, /metrics counts requests for Prometheus.

--hold serves nothing. It keeps a private database up for other programs until Ctrl-C.`,
		Example: `  spherelab tracker serve
  MLFLOW_TRACKING_URI=http://127.0.0.1:5000 python train.py
  spherelab tracker serve --listen 0.0.0.0:5000 --token-file token`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			token, err := a.token(tokenFile)
			if err != nil {
				return err
			}
			return a.withTracker(cmd.Context(), func(t *tracker.Tracker) error {
				if hold {
					fmt.Fprintln(a.stderr, "the database stays up until Ctrl-C")
					<-cmd.Context().Done()
					return nil
				}
				return a.serve(cmd.Context(), t, listen, token, func(s *server.Server) error {
					_, err := fmt.Fprintf(a.stdout, "serving on http://%s\n", s.Address())
					return err
				})
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&listen, "listen", "127.0.0.1:5000", "`address` to listen on, host:port; port 0 takes any free one")
	f.StringVar(&tokenFile, "token-file", "", "a `file` with the token; default: $"+tokenVariable)
	f.BoolVar(&hold, "hold", false, "serve nothing; keep a private database up for other programs")
	return cmd
}

// token is the server's token from a file or the environment, never from an argument, which every user can read.
func (a *app) token(file string) (string, error) {
	if file == "" {
		return a.lookup(tokenVariable), nil
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

// serve answers MLflow's clients and browsers on behalf of a tracker. announce is told of the server once it listens.
func (a *app) serve(ctx context.Context, t *tracker.Tracker, listen, token string,
	announce func(*server.Server) error) (err error) {
	say := func(line string) { fmt.Fprintln(a.stderr, visible.Line(line)) }
	api, err := mlflow.New(t, say)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, api) }()
	s, err := server.Listen(server.Options{Address: listen, Token: token, Say: say,
		Ready: func(ctx context.Context) error { return t.DB().PingContext(ctx) },
		Mounts: []server.Mount{
			{Name: "mlflow", Prefixes: mlflow.Prefixes, Handler: api},
			{Name: "pages", Prefixes: []string{"/"}, Handler: a.pages(t), Linked: true, Lasting: web.Follows},
		}})
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
}
