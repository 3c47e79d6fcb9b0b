package e2e

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestServe: the server says where it listens, answers, takes its token from a file or the environment, and ends
// without an error on SIGTERM.
func TestServe(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.fails(exitUsage, []string{"0.0.0.0:0", "needs a token", "SPHERELAB_TOKEN", "--token-file"}, "tracker", "serve",
		"--listen", "0.0.0.0:0")
	p.fails(exitUsage, []string{"not host:port"}, "tracker", "serve", "--listen", "5000")
	p.fails(exitUsage, []string{"token cannot be read"}, "tracker", "serve", "--token-file", "none")
	file := filepath.Join(t.TempDir(), "token")
	expect.NoError(t, os.WriteFile(file, []byte("  a-token-of-some-length\n"), 0o600))
	for _, way := range []string{"file", "environment"} {
		args := []string{"tracker", "serve", "--listen", "127.0.0.1:0"}
		if way == "file" {
			args = append(args, "--token-file", file)
		}
		cmd := p.command(args...)
		if way == "environment" {
			cmd.Env = append(cmd.Env, "SPHERELAB_TOKEN=a-token-of-some-length")
		}
		pipe, err := cmd.StdoutPipe()
		expect.NoError(t, err)
		errs := &trackertest.Output{}
		cmd.Stderr = errs
		expect.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // already gone unless the test failed
		line, err := bufio.NewReader(pipe).ReadString('\n')
		address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
		if err != nil || !ok {
			t.Fatalf("%s: %q, %v\n%s", way, line, err, errs)
		}
		for header, want := range map[string]int{"": 401, "Bearer a-token-of-some-length": 200} {
			request, err := http.NewRequest(http.MethodGet, address+"/api/2.0/mlflow/experiments/get?experiment_id=0", nil)
			expect.NoError(t, err)
			request.Header.Set("Authorization", header)
			response, err := http.DefaultClient.Do(request)
			expect.NoError(t, err)
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != want || strings.Contains(string(body), `"name":"Default"`) != (want == 200) {
				t.Errorf("%s, %q: %d %s", way, header, response.StatusCode, body)
			}
		}
		for password, want := range map[string]int{"": 401, "a-token-of-some-length": 200} { // as a browser sends it
			request, err := http.NewRequest(http.MethodGet, address+"/", nil)
			expect.NoError(t, err)
			if password != "" {
				request.SetBasicAuth("me", password)
			}
			response, err := http.DefaultClient.Do(request)
			expect.NoError(t, err)
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			asked := strings.Contains(strings.Join(response.Header.Values("WWW-Authenticate"), " "), "Basic ")
			if response.StatusCode != want || strings.Contains(string(body), "<h1>Runs</h1>") != (want == 200) ||
				asked != (want == 401) {
				t.Errorf("%s, the page with password %q: %d %s", way, password, response.StatusCode, body)
			}
		}
		expect.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		if err := cmd.Wait(); err != nil || strings.Contains(errs.String(), "a-token") {
			t.Errorf("%s: %v\n%s", way, err, errs)
		}
	}
}

// TestHold: a private database stays up until the program gets a signal.
func TestHold(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	cmd := p.command("tracker", "serve", "--hold")
	errs := &trackertest.Output{}
	cmd.Stderr = errs
	expect.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	(&job{cmd: cmd, stderr: errs}).says(t, "stays up until Ctrl-C")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("it did not stay: %v\n%s", err, errs)
	case <-time.After(200 * time.Millisecond):
	}
	expect.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := <-ended; err != nil {
		t.Errorf("%v\n%s", err, errs)
	}
}
