// Command log logs a training of its own to the tracker and reads it with SQL.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
)

func main() {
	ctx := context.Background()
	// Without an address, the tracker is a private database in DataDir.
	t := must(open.Tracker(ctx, os.Getenv("DATABASE_URL"), tracker.Options{DataDir: os.Args[1]}))
	defer t.Close()
	database := must(postgres.Of(t))
	run := must(t.StartRun(ctx, tracker.RunSpec{Experiment: "mine", Params: map[string]string{"rate": "0.1"}}))
	for x, step := 8., int64(1); step <= 5; step++ {
		x -= .1 * 2 * x // the training: x*x, downhill
		must(0, run.LogMetrics(step, map[string]float64{"loss": x * x}))
	}
	must(0, run.Finish(ctx, tracker.Finished))
	var losses []struct{ Step, Value float64 }
	must(0, database.DB().Select(&losses, "SELECT step, value FROM metrics WHERE run_uuid = $1 ORDER BY step", run.ID()))
	fmt.Println(losses)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
