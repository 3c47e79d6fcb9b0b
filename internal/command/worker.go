package command

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/worker"
)

func (a *app) workerCommand() *cobra.Command {
	w := &worker.Worker{}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Train the jobs of enqueued sweeps, together with other workers on any machine",
		Long: `Take jobs of the sweeps that sweep --enqueue-only has put into the tracker, and train them, as many at once
as this machine has cores and memory for, with one thread each, or more where cores are left. --runs and --threads say
it otherwise. Any number of workers may run, on any machines. All need the same tracker (--tracker or DATABASE_URL), the same
graphs (--data), and a place of artifacts (SPHERELAB_ARTIFACTS): a folder that all of them reach at the same path, or
s3://BUCKET/PREFIX.

A worker that is silent for longer than --lease loses its jobs. Others resume the runs from their last saved states, to
the same bits, and the first one, should it live, can no longer write. An interrupt (Ctrl-C, SIGTERM) saves the runs and
returns the jobs.`,
		Example: `  spherelab sweep sweep.yaml --enqueue-only
  spherelab worker --drain
  SPHERELAB_ARTIFACTS=/shared/artifacts spherelab worker --tracker postgres://me@db/spherelab --runs 2`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkSIMD(); err != nil {
				return err
			}
			if w.Lease < 5*time.Second {
				return usagef("--lease %v is too short: a short pause of the machine would lose the job; use at least 5s", w.Lease)
			}
			w.Machine = worker.ThisMachine()
			if err := w.Machine.Check(w.Runs, w.Threads); err != nil {
				return usagef("--runs %d --threads %d: %v", w.Runs, w.Threads, err)
			}
			return a.withRunner(cmd.Context(), sweepPatience, func(r *experiments.Runner) error {
				shown, end := a.progress(false)
				defer end()
				r.Progress = shown
				defer a.interrupts.register(w.Abandon)()
				w.Runner = r
				w.Say = func(line string) {
					shown.Event(progress.Event{Event: progress.Note, Message: line})
				}
				return w.Run(cmd.Context())
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&w.Drain, "drain", false, "end when the queue is empty, instead of waiting for more")
	f.StringVar(&w.Name, "name", "", "name of this worker in sweep status (default: machine and process number)")
	f.DurationVar(&w.Lease, "lease", time.Minute, "how long this worker may be silent before others take its jobs")
	f.IntVar(&w.Runs, "runs", 0, "runs to train at once, 0 to choose them from cores and memory; never changes a result")
	f.IntVar(&w.Threads, "threads", 0, "threads of each run, 0 to choose them from the cores; never changes a result")
	a.dataFlag(f)
	return cmd
}
