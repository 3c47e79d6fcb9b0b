package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/server"
)

func (a *app) serveCommand() *cobra.Command {
	var where serverFlags
	var hold bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the database to MLflow's clients and browsers", Args: arguments(0, 0),
		Long: `Serve the runs to browsers as pages, and experiments, runs, metrics, params, tags, datasets and artifacts to
MLflow's clients by MLflow's REST API 2.0. Ctrl-C ends the server after the requests in progress.

Programs of this machine need no token. An address that other machines reach needs one, of 16 characters or more, in
` + open.TokenVariable + ` or in a file. Clients send it as MLFLOW_TRACKING_TOKEN; browsers ask for it as the password of
any user. The server speaks HTTP: on a network that you do not trust, put a proxy with TLS before it.

/healthz reports whether the database answers, /metrics counts requests for Prometheus.

--hold serves nothing. It keeps a private database up for other programs until Ctrl-C.`,
		Example: `  spherelab tracker serve
  MLFLOW_TRACKING_URI=http://127.0.0.1:5000 python train.py
  spherelab tracker serve --listen 0.0.0.0:5000 --token-file token`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if hold {
				return a.withDatabase(cmd.Context(), func(*postgres.Store) error {
					fmt.Fprintln(a.stderr, "the database stays up until Ctrl-C")
					<-cmd.Context().Done()
					return nil
				})
			}
			return a.serve(cmd.Context(), where, func(s *server.Server) error {
				_, err := fmt.Fprintln(a.stdout, "serving on "+strings.TrimSuffix(present.Address(s.Address()), "/"))
				return err
			})
		},
	}
	where.add(cmd, "127.0.0.1:5000")
	cmd.Flags().BoolVar(&hold, "hold", false, "serve nothing; keep a private database up for other programs")
	return cmd
}
