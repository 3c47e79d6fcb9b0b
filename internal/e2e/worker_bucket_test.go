package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/bucket"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestWorkersShareABucket kills a worker in the midst of an upload. A worker with another data directory resumes the
// run from the state before, to the numbers of the sweep in one program; another machine answers with it.
func TestWorkersShareABucket(t *testing.T) {
	t.Parallel()
	storage := trackertest.NewStorage(t)
	store, err := bucket.Open(bucket.Login(storage.Direct))
	expect.NoError(t, err)
	sweep := filepath.Join(t.TempDir(), "one.yaml")
	text := fmt.Sprintf("runs:\n  - config: %s\n    seeds: [1]\n", smallJob(t, 1500))
	expect.NoError(t, os.WriteFile(sweep, []byte(text), 0o600))
	alone := newProgram(t)
	alone.ok("sweep", sweep)

	database := trackertest.Database(t)
	machine := func(endpoint string) *program {
		return &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(), "DATABASE_URL=" + database,
			"SPHERELAB_ARTIFACTS=s3://runs/lab", "AWS_ENDPOINT_URL=" + endpoint, "AWS_ACCESS_KEY_ID=key",
			"AWS_SECRET_ACCESS_KEY=secret", "AWS_REGION=us-east-1"}}
	}
	first := machine(storage.Login.Endpoint)
	second, third := machine(storage.Direct.Endpoint), machine(storage.Direct.Endpoint)
	first.ok("sweep", sweep, "--enqueue-only")
	until := func(what string, reached func() bool) {
		t.Helper()
		for range 1200 {
			if reached() {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatal("not in time: ", what)
	}
	state := func() (o bucket.Object, ok bool) {
		t.Helper()
		list, err := store.List(t.Context(), bucket.Place{Bucket: "runs", Prefix: "lab"})
		expect.NoError(t, err)
		i := slices.IndexFunc(list, func(o bucket.Object) bool { return strings.HasSuffix(o.Name, "/state.safetensors") })
		if i < 0 {
			return o, false
		}
		return list[i], true
	}
	dies := first.worker("first")
	until("a state in the bucket", func() bool { _, ok := state(); return ok })
	storage.Hold(2000) // of the request with a state, which is larger
	until("an upload that stands still", func() bool { return storage.Cuts() > 0 })
	before, _ := state()
	dies.signal(t, syscall.SIGKILL)
	_ = dies.cmd.Wait() // killed
	storage.Mend()
	if now, ok := state(); !ok || now != before {
		t.Errorf("the state is %+v after the worker was killed, before %+v", now, before)
	}
	if before.Size < 2000 {
		t.Fatalf("a state has %d bytes, so that none was cut off", before.Size)
	}

	next := second.worker("second")
	if err := next.cmd.Wait(); err != nil {
		t.Errorf("the second worker ended with %v", err)
	}
	if !strings.Contains(next.log.String(), "resuming run") {
		t.Error("the second worker did not resume the run")
	}
	want, _ := alone.numbers()
	if got, finished := third.numbers(); finished != 1 || !slices.Equal(got, want) {
		t.Errorf("the numbers of %d runs differ from those of one program: %d and %d", finished, len(got), len(want))
	}
	if out := third.ok("query", "last", "e00", "plus1", "?"); !strings.Contains(out, "e01") {
		t.Errorf("another machine answers\n%s", out)
	}
	if _, ok := state(); ok {
		t.Error("the bucket keeps a state that is no longer needed")
	}
}
