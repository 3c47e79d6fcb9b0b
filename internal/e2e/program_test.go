// Package e2e runs the built program as its users do: commands, Jupyter, a browser. It has tests only.
package e2e

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/sourcetree"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// The contract of exit codes, spelled here on purpose: scripts depend on it.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// sameOrder is the time within which two signals count as one.
const sameOrder = time.Second

// The kernel's names in Jupyter, which notebooks store.
const (
	kernelName        = "spherelab"
	kernelDisplayName = "Go (spherelab)"
)

// root is the module's folder: go test runs the tests of a package in its folder.
const root = "../.."

// inRoot returns the path of one of the repository's files.
func inRoot(path string) string { return filepath.Join(root, path) }

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait for browsers and servers for half of their time, so more of them run at once than there are cores.
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))) // a number is always set
	}
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	_ = os.RemoveAll(buildDir()) // a folder that stays is not a reason to fail
	os.Exit(code)
}

// buildDir is where this test process puts the program.
func buildDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("spherelab-build-%d", os.Getpid()))
}

// The version and the commit of the built program.
const (
	builtVersion = "0.0.0-test"
	builtCommit  = "0123456789abcdef0123456789abcdef01234567"
)

// built is the program, built once for all tests, with what the Makefile tells the linker.
var built = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(inRoot("Makefile"))
	if err != nil {
		return "", err
	}
	_, flags, _ := strings.Cut(string(text), "\nLDFLAGS = ")
	flags, _, _ = strings.Cut(flags, "\n")
	flags = strings.NewReplacer("$(MODULE)", "github.com/spherelab/spherelab", "$(VERSION)", builtVersion,
		"$(COMMIT)", builtCommit).Replace(flags)
	return sourcetree.Build(root, buildDir(), "-ldflags", flags)
})

// program runs the built binary in an environment of its own.
type program struct {
	t   testing.TB
	env []string
}

// newProgram returns the program with an empty home and a database of the tests' server.
func newProgram(t testing.TB) *program {
	t.Helper()
	return &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(),
		"DATABASE_URL=" + trackertest.Database(t)}}
}

// home is the folder of the program's data.
func (p *program) home() string {
	for _, v := range p.env {
		if dir, of := strings.CutPrefix(v, "SPHERELAB_HOME="); of {
			return dir
		}
	}
	return ""
}

func (p *program) command(args ...string) *exec.Cmd {
	p.t.Helper()
	path, err := built()
	expect.NoError(p.t, err)
	cmd := exec.Command(path, args...)
	cmd.Dir = p.t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, p.env...)
	return cmd
}

// run runs a command line to its end.
func (p *program) run(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// ok runs a command line that must succeed and returns its standard output.
func (p *program) ok(args ...string) string {
	p.t.Helper()
	stdout, stderr, code := p.run(args...)
	if code != exitOK {
		p.t.Fatalf("spherelab %s: exit %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// json runs a command line that must print JSON and reads it into v.
func (p *program) json(v any, args ...string) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.ok(append(args, "--format", "json")...)), v); err != nil {
		p.t.Fatalf("spherelab %s: %v", strings.Join(args, " "), err)
	}
}

// csv runs a command line that must print CSV and returns its rows, the first with the names.
func (p *program) csv(args ...string) [][]string {
	p.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(p.ok(append(args, "--format", "csv")...))).ReadAll()
	if err != nil || len(rows) == 0 {
		p.t.Fatalf("spherelab %s: %d rows, %v", strings.Join(args, " "), len(rows), err)
	}
	return rows
}

// fails runs a command line that must fail with one line that names all of wants.
func (p *program) fails(code int, wants []string, args ...string) {
	p.t.Helper()
	stdout, stderr, got := p.run(args...)
	if got != code {
		p.t.Errorf("spherelab %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, stderr)
	}
	if stdout != "" {
		p.t.Errorf("spherelab %s wrote on standard output: %q", strings.Join(args, " "), stdout)
	}
	last := strings.TrimSuffix(stderr, "\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	if !strings.HasPrefix(last, "spherelab: ") || strings.Contains(stderr, "goroutine") {
		p.t.Errorf("spherelab %s: no plain error line:\n%s", strings.Join(args, " "), stderr)
	}
	for _, want := range wants {
		if !strings.Contains(last, want) {
			p.t.Errorf("spherelab %s: error %q lacks %q", strings.Join(args, " "), last, want)
		}
	}
}

// smallJob writes a circle of 30 entities and a config that trains on it for the given number of epochs.
func smallJob(t *testing.T, epochs int) (config string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "circle")
	expect.NoError(t, os.Mkdir(dir, 0o755))
	var splits [3]strings.Builder
	for i := range 30 {
		for step := 1; step <= 3; step++ {
			split := 0
			if step == 3 && i%5 == 0 {
				split = 1 + i/5%2
			}
			fmt.Fprintf(&splits[split], "e%02d\tplus%d\te%02d\n", i, step, (i+step)%30)
		}
	}
	config = filepath.Join(dir, "job.yaml")
	files := map[string]string{"train.txt": splits[0].String(), "valid.txt": splits[1].String(),
		"test.txt": splits[2].String(),
		"job.yaml": fmt.Sprintf("data: %s\ndimension: 8\nthreads: 1\ntrain:\n  epochs: %d\n  batch: 16\n  negatives: 4\n  learning_rate: 0.02\n"+
			"  save_every: 7\neval:\n  every: 25\n  bootstrap: 20\n", dir, epochs)}
	for name, content := range files {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return config
}

// job is a running `train --json`.
type job struct {
	cmd    *exec.Cmd
	events *bufio.Scanner
	stderr *trackertest.Output
	runID  string
}

// says waits until the program has written a text on standard error.
func (j *job) says(t *testing.T, text string) {
	t.Helper()
	for range 600 {
		if strings.Contains(j.stderr.String(), text) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the program does not say %q:\n%s", text, j.stderr)
}

// signal sends a signal.
func (j *job) signal(t *testing.T, s os.Signal) {
	t.Helper()
	expect.NoError(t, j.cmd.Process.Signal(s))
}

// lockRuns keeps every program from writing to the table of runs until release is called: an interrupted program waits
// for it while it ends its run.
func (p *program) lockRuns() (release func()) {
	p.t.Helper()
	database, _ := strings.CutPrefix(p.env[2], "DATABASE_URL=")
	db, err := sql.Open("postgres", database)
	expect.NoError(p.t, err)
	tx, err := db.Begin()
	if err == nil {
		_, err = tx.Exec("LOCK TABLE public.runs IN EXCLUSIVE MODE")
	}
	expect.NoError(p.t, err)
	return sync.OnceFunc(func() { _, _ = tx.Rollback(), db.Close() }) // nothing was changed
}

func (p *program) start(args ...string) *job {
	p.t.Helper()
	cmd := p.command(append([]string{"train", "--json"}, args...)...)
	pipe, err := cmd.StdoutPipe()
	expect.NoError(p.t, err)
	j := &job{cmd: cmd, events: bufio.NewScanner(pipe), stderr: &trackertest.Output{}}
	cmd.Stderr = j.stderr
	expect.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() { _ = cmd.Process.Kill() }) // already gone unless the test failed
	return j
}

// until reads events up to the end of an epoch.
func (j *job) until(t *testing.T, epoch int) {
	t.Helper()
	for j.events.Scan() {
		var e struct {
			Event string
			RunID string `json:"run_id"`
			Epoch int
		}
		if err := json.Unmarshal(j.events.Bytes(), &e); err != nil {
			t.Fatalf("event %s: %v", j.events.Bytes(), err)
		}
		j.runID = e.RunID
		if e.Event == "epoch" && e.Epoch >= epoch {
			return
		}
	}
	t.Fatalf("the program ended before epoch %d\n%s", epoch, j.stderr)
}

// drain reads events to the end, which the returned channel tells: a program blocks while its output is not read.
func (j *job) drain() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for j.events.Scan() {
		}
	}()
	return ended
}

// end waits for the program and returns its exit code.
func (j *job) end() int {
	for j.events.Scan() {
	}
	_ = j.cmd.Wait() // the code says it all
	return j.cmd.ProcessState.ExitCode()
}

// shown is what must be the same for two runs of the same config.
func (p *program) shown(ref string) (digest, status string, history map[string]string) {
	p.t.Helper()
	var run struct {
		RunID  string `json:"run_id"`
		Digest string `json:"checkpoint_digest"`
		Status string `json:"status"`
	}
	p.json(&run, "runs", "show", ref)
	sql := fmt.Sprintf("select key, step, value from metrics where run_uuid = '%s' and key not like 'system/%%'",
		run.RunID)
	history = map[string]string{}
	for _, row := range p.csv("tracker", "sql", sql) {
		history[row[0]+"@"+row[1]] = row[2]
	}
	sql = fmt.Sprintf(`select cut, relation, side, triples, f1, "precision", recall, rr, novel_f1 from relation
		where run_id = '%s'`, run.RunID)
	for _, row := range p.csv("tracker", "sql", sql) {
		history[strings.Join(row[:3], " ")] = strings.Join(row[3:], " ")
	}
	sql = fmt.Sprintf(`select split, cut, category, metric, step, value, low, high from spherelab.evaluation_result
		where run_uuid = '%s'`, run.RunID)
	for _, row := range p.csv("tracker", "sql", sql) {
		history[strings.Join(row[:5], "/")] = strings.Join(row[5:], " ")
	}
	return run.Digest, run.Status, history
}

// stopPrivateServers ends the servers whose data are below a folder; by themselves they end a while after their last
// user.
func stopPrivateServers(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "postmaster.pid" {
			return nil // files come and go while the server works
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil // it has just ended
		}
		first, _, _ := strings.Cut(string(content), "\n")
		pid, err := strconv.Atoi(first)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		_ = syscall.Kill(pid, syscall.SIGINT) // PostgreSQL's fast shutdown
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if _, err := os.Stat(path); err != nil {
				return nil
			}
		}
		return fmt.Errorf("the server of %s does not end", path)
	})
	if err != nil {
		t.Error(err)
	}
}
