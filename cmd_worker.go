package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
)

func (a *app) workerCommand() *cobra.Command {
	w := &experiments.Worker{}
	var threads int
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Train the jobs of enqueued sweeps, beside other workers on any machine",
		Long: `Take jobs of the sweeps that sweep --enqueue-only has put into the tracker, and train them, one after the
other. Any number of workers may run, on any machines. All need the same tracker (--tracker or DATABASE_URL), the same
graphs (--data), and a place of artifacts (SPHERELAB_ARTIFACTS): a folder that all of them reach at the same path, or
s3://BUCKET/PREFIX.

A worker that is silent for longer than --lease loses its job. Another one resumes the run from its last saved state,
to the same bits, and the first one, should it live, can no longer write. An interrupt (Ctrl-C, SIGTERM) saves the run
and gives the job back.`,
		Example: `  spherelab sweep sweep.yaml --enqueue-only
  spherelab worker --drain
  SPHERELAB_ARTIFACTS=/shared/artifacts spherelab worker --tracker postgres://me@db/spherelab --threads 8`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkSIMD(); err != nil {
				return err
			}
			if w.Lease < 5*time.Second {
				return usagef("--lease %v is too short: a pause of the machine would cost the job; at least 5s", w.Lease)
			}
			if cmd.Flags().Changed("threads") {
				w.Flags = []experiments.FlagValue{{Flag: "threads", Key: "threads", Value: strconv.Itoa(threads)}}
			}
			return a.withRunner(cmd.Context(), sweepPatience, func(r *experiments.Runner) error {
				progress, end := a.progress(false)
				defer end()
				r.Progress = progress
				defer a.interrupts.running(r.Abandon)()
				w.Runner = r
				w.Say = func(line string) {
					progress.Event(experiments.Event{Event: experiments.Note, Message: line})
				}
				return w.Run(cmd.Context())
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&w.Drain, "drain", false, "end when the queue is empty, instead of waiting for more")
	f.StringVar(&w.Name, "name", "", "name of this worker in sweep status (default: machine and process number)")
	f.DurationVar(&w.Lease, "lease", time.Minute, "how long this worker may be silent before others take its job")
	f.IntVar(&threads, "threads", 0, "worker threads, 0 for all cores; never changes a result")
	a.dataFlag(f)
	return cmd
}
