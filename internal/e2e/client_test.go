package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// Clients stay connected for this long, many times the idle time.
const (
	shortIdle = 200 * time.Millisecond // of the private server, instead of 30 s
	longStay  = 10 * shortIdle
)

// privateServer is a private database with one run, of which `tracker url` has printed the address.
type privateServer struct {
	t    *testing.T
	home string
	url  string
}

// newPrivateServer starts it with a short idle time. No program of spherelab is left when it returns: only the five
// minutes of `tracker url` keep the server.
func newPrivateServer(t *testing.T) *privateServer {
	t.Helper()
	trackertest.Skip(t)
	home := t.TempDir()
	tr, err := open.Tracker(context.Background(), "",
		tracker.Options{DataDir: home, Scratch: true, Idle: shortIdle})
	expect.NoError(t, err)
	t.Cleanup(func() { stopPrivateServers(t, home) }) // it has ended by itself unless the test failed
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + home}}
	p.ok("train", smallJob(t, 2), "--set", "name=shown")
	url := strings.TrimSpace(p.ok("tracker", "url"))
	expect.NoError(t, tr.Close())
	return &privateServer{t, home, url}
}

// expire moves the end of the five minutes into the past, as if they were over.
func (s *privateServer) expire() {
	s.t.Helper()
	past := time.Now().Add(-time.Minute)
	expect.NoError(s.t, os.Chtimes(filepath.Join(postgres.ClusterDir(s.home), "stay"), past, past))
}

// ends waits until the server and its supervisor have ended, which they do once nobody is connected.
func (s *privateServer) ends() {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		state, err := pgprivate.Inspect(postgres.ClusterDir(s.home))
		expect.NoError(s.t, err)
		if state.PID == 0 && !state.Supervised {
			return
		}
	}
	s.t.Error("the server runs although nobody is connected")
}

// client is a program that reads commands line by line and answers each with a line.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

func newClient(t *testing.T, cmd *exec.Cmd) *client {
	t.Helper()
	c := &client{t: t, cmd: cmd}
	cmd.Stderr = &c.stderr
	stdin, err := cmd.StdinPipe()
	expect.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	expect.NoError(t, err)
	c.stdin, c.lines = stdin, bufio.NewScanner(stdout)
	expect.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // already gone unless the test failed
	return c
}

func (c *client) ask(line string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.stdin, line+"\n"); err != nil || !c.lines.Scan() {
		_ = c.cmd.Wait() // its message says more
		c.t.Fatalf("%s does not answer %q: %v\n%s", filepath.Base(c.cmd.Path), line, err, c.stderr.String())
	}
	return c.lines.Text()
}

func (c *client) end() {
	c.t.Helper()
	expect.NoError(c.t, c.stdin.Close())
	for c.lines.Scan() {
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("%v\n%s", err, c.stderr.String())
	}
}

// staysConnected asks queries over one connection for much longer than the server stays unused, by the server's clock.
func staysConnected(t *testing.T, s *privateServer, c *client) {
	t.Helper()
	const session = "select pg_backend_pid() || ' ' || backend_start from pg_stat_activity where pid = pg_backend_pid()"
	const run = "select run_name || ' ' || epochs from run_wide"
	if got := c.ask(run); got != "shown 2" {
		t.Fatalf("the client reads the run as %q", got)
	}
	first := c.ask(session)
	s.expire()
	began := c.ask("select clock_timestamp()")
	for over := "select clock_timestamp() > timestamptz '" + began + "' + interval '" + longStay.String() + "'"; ; {
		if got := c.ask(over); got == "t" || got == "True" {
			break
		}
	}
	if last := c.ask(session); last != first {
		t.Errorf("session %s became %s", first, last)
	}
	if got := c.ask(run); got != "shown 2" {
		t.Errorf("after %v the client reads the run as %q", longStay, got)
	}
	c.end()
	s.ends()
}

func TestPsqlKeepsThePrivateServer(t *testing.T) {
	t.Parallel()
	psql, err := pgprivate.FindProgram("psql")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped: ", err)
	}
	s := newPrivateServer(t)
	cmd := exec.Command(psql, "--no-psqlrc", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1",
		"--set", "SINGLELINE=on", s.url)
	staysConnected(t, s, newClient(t, cmd))
}

// The engine keeps a connection in its pool between queries.
func TestPandasKeepsThePrivateServer(t *testing.T) {
	t.Parallel()
	cmd := pythonCommand(t, nil, "-u", "-c", `
import sys
import pandas as pd
import sqlalchemy

database = sqlalchemy.create_engine(sys.argv[1])
for query in sys.stdin:
    print(pd.read_sql(query, database).iloc[0, 0])
`)
	s := newPrivateServer(t)
	cmd.Args = append(cmd.Args, s.url)
	staysConnected(t, s, newClient(t, cmd))
}

// MLflow's own web server shows a run, with the login that can only read.
func TestMLflowKeepsThePrivateServer(t *testing.T) {
	t.Parallel()
	python := trackertest.MLflowPython(t, trackertest.MLflow2)
	s := newPrivateServer(t)
	address, end := trackertest.MLflowServer(t, python, "--backend-store-uri", s.url)
	search := func() (string, error) {
		answer, err := http.Post(address+"/ajax-api/2.0/mlflow/runs/search", "application/json",
			strings.NewReader(`{"experiment_ids":["0","1","2"]}`))
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		raw, err := io.ReadAll(answer.Body)
		if err != nil {
			return "", err
		}
		var found struct {
			Runs []struct {
				Info struct {
					Name string `json:"run_name"`
				}
				Data struct {
					Params []struct{ Key, Value string }
				}
			}
		}
		if err := json.Unmarshal(raw, &found); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", answer.Status, err, raw)
		}
		text := ""
		for _, run := range found.Runs {
			text += run.Info.Name
			for _, p := range run.Data.Params {
				if p.Key == "train.epochs" {
					text += " " + p.Value
				}
			}
		}
		return text, nil
	}
	text, err := search()
	if err != nil || text != "shown 2" {
		t.Fatalf("MLflow lists %q, %v", text, err)
	}
	page, err := http.Get(address + "/")
	expect.NoError(t, err)
	defer page.Body.Close()
	if html, err := io.ReadAll(page.Body); err != nil || page.StatusCode != 200 || !strings.Contains(string(html), "<title>MLflow</title>") {
		t.Errorf("MLflow's page: %s, %v\n%s", page.Status, err, html)
	}
	s.expire()
	for limit := time.Now().Add(longStay); time.Now().Before(limit); {
		if text, err = search(); err != nil || text != "shown 2" {
			t.Fatalf("MLflow lists %q, %v", text, err)
		}
	}
	end()
	s.ends()
}
