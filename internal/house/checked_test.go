package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// checks are the calls of Config.Check by file: where a config is read, and where a copy of a checked one was changed.
// Everything behind them takes a config.Checked.
var checks = map[string]int{
	"experiments/config/find.go":  1, // the model and graph of a config that is found by its graph
	"experiments/config/load.go":  1, // layers
	"experiments/config/param.go": 1, // the text of a queued job

	"experiments/answer/cut_default.go": 1, // not a config: a cut that is read

	"experiments/lab/session/graph.go": 1, // how a file is read
	"experiments/lab/session/model.go": 1, // a key of a model, which is reported in its cell
	"experiments/lab/session/train.go": 1, // a model fitted to a graph
	"experiments/reproduce.go":         2, // the params of a run; the same with where its graph is now
	"experiments/resume.go":            1, // the config of a run with the keys that may change
	"experiments/refit.go":             1, // on all facts, with what the measured run has found
	"experiments/search/best.go":       1, // without a name
	"experiments/search/file.go":       2, // the ends of a search's space; the same on the graph
	"experiments/search/run.go":        1, // the best of a search
	"experiments/search/sweep.go":      1, // with the tag of its sweep
	"experiments/search/trial.go":      1, // a point of a search
	"experiments/worker/worker.go":     1, // with the threads of this machine
}

func TestConfigsAreCheckedInFewPlaces(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	for _, file := range clonedFiles(t, "*.go") {
		if !strings.HasPrefix(file, "experiments/") && !strings.HasPrefix(file, "internal/command/") ||
			strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "experiments/runtest/") {
			continue
		}
		source, err := os.ReadFile(inRoot(filepath.FromSlash(file)))
		expect.NoError(t, err)
		if n := configChecks(t, file, source); n > 0 {
			found[file] = n
		}
	}
	if !maps.Equal(found, checks) {
		t.Errorf("Config.Check is called in %v, want %v: take a config.Checked instead", found, checks)
	}
}

// configChecks counts the calls of a method Check without arguments, which is a config's except for one.
func configChecks(t *testing.T, name string, source []byte) (n int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	expect.NoError(t, err)
	ast.Inspect(file, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok && len(call.Args) == 0 {
			if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Check" {
				n++
			}
		}
		return true
	})
	return n
}
