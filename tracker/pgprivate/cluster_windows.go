package pgprivate

import (
	"context"
	"os/exec"
	"time"

	"github.com/spherelab/spherelab/internal/hint"
)

// The names of a cluster, see cluster.go.
const (
	User         = "spherelab"
	clusterPort  = 5432
	minimumMajor = 13
)

// NotFoundError says what a program on Windows needs instead.
type NotFoundError struct{}

func (*NotFoundError) Error() string {
	return "there is no private database on Windows, where the server's socket and its locks do not work; name a tracker " +
		"elsewhere, or run the program under WSL"
}

// Hints say how to name a database.
func (*NotFoundError) Hints() []hint.Hint { return []hint.Hint{{Action: hint.NameDatabase}} }

var errWindows = &NotFoundError{}

// Options are those of other systems.
type Options struct {
	Dir, CacheDir string
	Idle          time.Duration
	Scratch       bool
	Say           func(string)
}

// Cluster is never made on Windows.
type Cluster struct{}

// Open returns an error that says what to use instead.
func Open(context.Context, Options) (*Cluster, error) { return nil, errWindows }

// Ensure returns the error of Open.
func (c *Cluster) Ensure(context.Context) error { return errWindows }

// Stay returns the error of Open.
func (c *Cluster) Stay(time.Duration) error { return errWindows }

// URL returns "".
func (c *Cluster) URL(string) string { return "" }

// URLFor returns "".
func (c *Cluster) URLFor(string, string) string { return "" }

// Close does nothing.
func (c *Cluster) Close() error { return nil }

// Status is the state of a cluster's processes.
type Status struct {
	PID        int
	Supervised bool
}

// Inspect returns the error of Open.
func Inspect(string) (Status, error) { return Status{}, errWindows }

// Install is a PostgreSQL installation.
type Install struct {
	Bin     string
	Major   int
	Version string
	Source  string
}

// Find returns the error of Open.
func Find(context.Context, int) (Install, error) { return Install{}, errWindows }

// FindProgram finds a program of PostgreSQL, such as psql, in PATH.
func FindProgram(name string) (string, error) { return exec.LookPath(name) }
