package trackertest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// The variables that name interpreters with all of MLflow 2 and MLflow 3, including their servers.
const (
	MLflow2 = "SPHERELAB_TEST_MLFLOW"
	MLflow3 = "SPHERELAB_TEST_MLFLOW3_SERVER"
)

// MLflowPython returns the interpreter that a variable names. Without one the test is skipped.
func MLflowPython(t testing.TB, variable string) string {
	t.Helper()
	python := os.Getenv(variable)
	if python == "" {
		t.Skip("skipped: ", variable, " does not name a Python with all of MLflow, which takes more than 800 MB; "+
			"make soak makes one")
	}
	return python
}

// MLflowCommand returns a command of MLflow, as python -m mlflow, in a folder of its own.
func MLflowCommand(t testing.TB, python string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(python, append([]string{"-m", "mlflow"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + filepath.Dir(python) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + t.TempDir(), "GIT_PYTHON_REFRESH=quiet", "PYTHONWARNINGS=ignore", "MLFLOW_DISABLE_TELEMETRY=true"}
	return cmd
}

// Output collects what a program writes, and can be read meanwhile.
type Output struct {
	mu   sync.Mutex
	text []byte
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// MLflowServer starts MLflow's server on a free port of this machine, with further flags, and returns its address once
// it answers. The server ends with the test, or earlier by end.
func MLflowServer(t testing.TB, python string, flags ...string) (address string, end func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close() // the port is free for MLflow
	cmd := MLflowCommand(t, python, append([]string{"server", "--host", "127.0.0.1", "--port", fmt.Sprint(port),
		"--workers", "1"}, flags...)...)
	said := &Output{}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts workers
	expect.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // killed
		close(ended)
	}()
	end = sync.OnceFunc(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended by itself
		<-ended
	})
	t.Cleanup(end)
	address = fmt.Sprintf("http://127.0.0.1:%d", port)
	for limit := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(address + "/health")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return address, end
			}
		}
		select {
		case <-ended:
			t.Fatalf("MLflow's server ended:\n%s", said)
		default:
		}
		if time.Now().After(limit) {
			t.Fatalf("MLflow's server does not answer: %v\n%s", err, said)
		}
	}
}
