package e2e

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// served starts a command that serves and returns the address that it prints. The server ends with the test.
func (p *program) served(args ...string) string {
	p.t.Helper()
	cmd := p.command(args...)
	pipe, err := cmd.StdoutPipe()
	expect.NoError(p.t, err)
	errs := &trackertest.Output{}
	cmd.Stderr = errs
	expect.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(pipe).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if err != nil || !ok {
		p.t.Fatalf("%q, %v\n%s", line, err, errs)
	}
	return address
}

// TestRemoteTraining: a training that logs to a server, killed and resumed, has the numbers of one that logs to the
// database; its model answers on a machine that has not trained it; commands that need SQL say so.
func TestRemoteTraining(t *testing.T) {
	t.Parallel()
	server := newProgram(t)
	secret := filepath.Join(t.TempDir(), "token")
	expect.NoError(t, os.WriteFile(secret, []byte("a-token-of-some-length\n"), 0o600))
	address := server.served("tracker", "serve", "--listen", "127.0.0.1:0", "--token-file", secret)
	machine := func() *program {
		return &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + t.TempDir(),
			"DATABASE_URL=" + address, "SPHERELAB_TOKEN_FILE=" + secret}}
	}
	client := machine()
	config := smallJob(t, 12)
	j := client.start(config)
	j.until(t, 4)
	j.signal(t, syscall.SIGKILL)
	j.end()
	client.ok("train", "--resume", j.runID)
	server.ok("train", config)
	digest, status, got := server.shown(j.runID)
	wantDigest, _, want := server.shown("last")
	points := 0
	for key, value := range want {
		if !strings.Contains(key, "@") {
			continue // results per relation are an artifact
		}
		if points++; got[key] != value {
			t.Errorf("%s is %s, want %s", key, got[key], value)
		}
	}
	if digest != wantDigest || status != "FINISHED" || points < 24 {
		t.Errorf("status %s, digest %s, want %s; %d points", status, digest, wantDigest, points)
	}
	for _, ref := range []string{"runs ls", "runs show " + j.runID, "doctor"} {
		if text := client.ok(strings.Fields(ref)...); ref != "doctor" && !strings.Contains(text, j.runID[:8]) {
			t.Errorf("%s lacks the run:\n%s", ref, text)
		}
	}
	exported := filepath.Join(t.TempDir(), "run.jsonl.gz")
	client.ok("runs", "export", j.runID, "--out", exported)
	if text := server.ok("runs", "verify", "last", exported); !strings.Contains(text, "equal, bit for bit: ") { // all results, too
		t.Errorf("verify says:\n%s", text)
	}
	if list := server.csv("tracker", "sql", `select d.name, t.value, (select value from tags g
			where g.run_uuid = i.destination_id and g.key = 'mlflow.project.entryPoint')
		from datasets d join inputs i on i.source_id = d.dataset_uuid join input_tags t using (input_uuid)
		where i.destination_id = '`+j.runID+`'`); len(list) != 2 || strings.Join(list[1], " ") != "circle training train" {
		t.Errorf("the inputs of the run are %v", list)
	}

	other := machine()
	for _, args := range [][]string{{"query", j.runID, "e00", "plus1", "?"}, {"eval", j.runID}} {
		if here, there := client.ok(args...), other.ok(args...); here != there || here == "" {
			t.Errorf("%v differs on another machine:\n%s\n%s", args, here, there)
		}
	}
	for _, command := range []string{"tracker sql x", "tracker psql", "tracker url", "tracker migrate", "ui --no-browser",
		"tracker serve", "runs import"} {
		code := exitUsage
		if command == "runs import" {
			code = exitFailed
		}
		client.fails(code, []string{address, "needs its database", "--tracker postgres://"}, strings.Fields(command)...)
	}
	client.env[3] = "SPHERELAB_TOKEN=another"
	client.fails(exitFailed, []string{"refuses", "SPHERELAB_TOKEN_FILE"}, "runs", "ls")
}
