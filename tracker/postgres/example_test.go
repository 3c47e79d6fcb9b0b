package postgres_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// Without DATABASE_URL the tracker starts a PostgreSQL of its own in the data directory.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	t, err := open.Tracker(ctx, os.Getenv("DATABASE_URL"), tracker.Options{DataDir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	run, err := t.StartRun(ctx, tracker.RunSpec{Experiment: "rivers", Name: "first", Params: map[string]string{"seed": "7"}})
	if err != nil {
		log.Fatal(err)
	}
	for epoch := int64(1); epoch <= 3; epoch++ {
		if err := run.LogMetrics(epoch, map[string]float64{"loss": 1 / float64(epoch)}); err != nil {
			log.Fatal(err)
		}
	}
	if err := run.Finish(ctx, tracker.Finished); err != nil {
		log.Fatal(err)
	}
}

func ExampleStore_Runs() {
	ctx := context.Background()
	t, err := open.Tracker(ctx, os.Getenv("DATABASE_URL"), tracker.Options{DataDir: "runs"})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	runs, err := t.Runs(ctx, tracker.Filter{Experiment: "rivers"})
	if err != nil {
		log.Fatal(err)
	}
	for _, run := range runs {
		fmt.Println(run.Name, run.Status, run.Params["seed"], run.Metrics["loss"])
		points, err := t.History(ctx, run.ID, "loss")
		if err != nil {
			log.Fatal(err)
		}
		for _, p := range points {
			fmt.Printf("epoch %d: %.2f\n", p.Step, p.Value)
		}
	}
}

func ExampleStore_SQL() {
	ctx := context.Background()
	t, err := postgres.Open(ctx, os.Getenv("DATABASE_URL"), tracker.Options{DataDir: "runs"})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	table, err := t.SQL(ctx, "SELECT key, max(value) FROM metrics GROUP BY key")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Columns, table.Rows)
}

// TestExamples runs the examples above, one after the other, on a database of the test. They have no Output comment,
// because go test would run them without one.
func TestExamples(t *testing.T) {
	t.Setenv("DATABASE_URL", trackertest.Database(t))
	t.Chdir(t.TempDir())
	got := printed(t, func() {
		ExampleOpen()
		ExampleStore_Runs()
		ExampleStore_SQL()
	})
	const want = "first FINISHED 7 0.3333333333333333\nepoch 1: 1.00\nepoch 2: 0.50\nepoch 3: 0.33\n" +
		"[key max] [[loss 1]]\n"
	if got != want {
		t.Errorf("the examples print\n%swant\n%s", got, want)
	}
}

// printed returns what f writes to os.Stdout.
func printed(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	noError(t, err)
	defer r.Close()
	out := os.Stdout
	os.Stdout = w
	f() // a few lines, which the pipe holds
	os.Stdout = out
	noError(t, w.Close())
	return string(must[[]byte](t)(io.ReadAll(r)))
}

func ExampleSplitPassword() {
	rest, password, err := postgres.SplitPassword("postgres://ada:secret@db.example.org/runs")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rest, len(password))
	// Output:
	// postgres://ada@db.example.org/runs 6
}
