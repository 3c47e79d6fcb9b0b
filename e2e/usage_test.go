package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUsageErrorsBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("model: rotate\ntrain:\n  epoch: 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	facts, graph := filepath.Join(t.TempDir(), "facts.csv"), t.TempDir()
	for _, name := range []string{facts, filepath.Join(graph, "train.txt")} {
		if err := os.WriteFile(name, []byte("a,likes,b\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(t.TempDir(), "home")
	p := &program{t, []string{"HOME=" + home}}
	for _, c := range []struct{ args, wants []string }{
		{[]string{"train", bad}, []string{bad + ":3: unknown key train.epoch; did you mean train.epochs?"}},
		{[]string{"train", "--set", "dimension=0"}, []string{"--set dimension=0: dimension must be a number from 1"}},
		{[]string{"train", "--set", "train.learning_rate=NaN"}, []string{"must be a finite number"}},
		{[]string{"train", "fb15k/rotate"}, []string{"no config fb15k/rotate", "did you mean fb15k-237/rotate?"}},
		{[]string{"train", "--threads", "-2"}, []string{"flag --threads: threads must be a number from 0"}},
		{[]string{"train", "a", "b", "c"}, []string{"got 3 arguments, needs at most 2"}},
		{[]string{"train", "nosuch"}, []string{"nosuch is not a config or a file of triples",
			`data set "nosuch" was not found`,
			"--data"}},
		{[]string{"train", "bundled", "sphere2d"}, []string{`no model "sphere2d"`, "did you mean sphere-2d?"}},
		{[]string{"train", "umls/rotate", "rotate"}, []string{"umls/rotate is a config", "train GRAPH MODEL"}},
		{[]string{"train", "--data", facts}, []string{"is a file; it must be a folder", "train " + facts}},
		{[]string{"train", "--data", graph}, []string{"is a graph itself", "train " + graph}},
		{[]string{"train", "--thread", "2"}, []string{"unknown flag: --thread; did you mean --threads?", "--help"}},
		{[]string{"train", "--epochs", "2"}, []string{"unknown flag: --epochs; did you mean --set train.epochs=VALUE?"}},
		{[]string{"train", "rotate"}, []string{"rotate is a model", "train GRAPH rotate"}},
		{[]string{"explain", "last", "a", "advised", "?"}, []string{"a whole fact", "query RUN HEAD RELATION '?'"}},
		{[]string{"train", "--seed", "7"}, []string{"unknown flag: --seed; did you mean --set seed=VALUE?"}},
		{[]string{"trian"}, []string{`unknown command "trian"; did you mean train?`}},
		{[]string{"runs", "shwo"}, []string{`unknown command "runs shwo"; did you mean show?`}},
		{[]string{"query", "last", "x"}, []string{"HEAD RELATION ?, ? RELATION TAIL, HEAD ? TAIL, or an expression",
			`got the one field "x"`}},
		{[]string{"query", "last", "x >"}, []string{"query: character 4: the end stands where the name of a relation"}},
		{[]string{"eval", "last", "--against", "last", "--cut", "margn"},
			[]string{`--cut: there is no cut "margn"; did you mean "margin"?`}},
		{[]string{"predict", "last", "--relation", "r", "--all", "--seen"}, []string{"--seen and --all exclude each other"}},
		{[]string{"query", "last", "x", "y"}, []string{"got 3 arguments, needs RUN and a query"}},
		{[]string{"query", "last", "--file", "q.tsv", "x > y"}, []string{"got 2 arguments, needs 1"}},
		{[]string{"query", "last", "a", "advised", "?", "--cut", "margn"},
			[]string{`no cut "margn"; did you mean "margin"?`}},
		{[]string{"query", "last", "a", "advised", "?", "--cut", "margin", "--criterion", "sphere"},
			[]string{"--cut margin and --criterion sphere both choose the cut"}},
		{[]string{"explain", "last", "a", "advised", "b", "--cut", "top-3", "--slack", "1"}, []string{"fixed size"}},
		{[]string{"predict", "last"}, []string{"predict needs --relation"}},
		{[]string{"runs", "ls", "--format", "xml"},
			[]string{`must be one of text, markdown, latex, csv, html, json, not "xml"`}},
		{[]string{"table", "nosuch"}, []string{`no table "nosuch"`, "bundled"}},
		{[]string{"data", "get", "fb15k"}, []string{`no known data set "fb15k"`, "fb15k-237"}},
		{[]string{"data", "ls", "--data", bad + "-nowhere"}, []string{bad + "-nowhere cannot be listed: no such file"}},
		{[]string{"data", "ls", "--data", bad}, []string{"is a file; it must be a folder"}},
		{[]string{"query", "last", "?", "advised", "?"}, []string{"exactly one '?'", "HEAD RELATION ?"}},
		{[]string{"query", "last", "a", "advised", "b"}, []string{"exactly one '?'"}},
		{[]string{"eval", "last", "--top-l", "0"}, []string{"--top-l must be different sizes from 1, not [0]"}},
		{[]string{"eval", "last", "--top-l", "5,5"}, []string{"--top-l must be different sizes from 1, not [5 5]"}},
		{[]string{"eval", "last", "--fit", "--split", "valid"}, []string{"evaluate them with --split test"}},
		{[]string{"eval", "last", "--criterion", "ball"},
			[]string{`--criterion must be one of margin, sphere, intersect, blocks, boxes, not "ball"`}},
		{[]string{"eval", "last", "--against-cut", "margin"}, []string{"--against-cut belongs to --against"}},
		{[]string{"eval", "last", "--threads", "-3"}, []string{"--threads must not be negative"}},
		{[]string{"runs", "ls", "--status", "bogus"},
			[]string{"--status must be one of running, finished, failed, killed"}},
		{[]string{"worker", "--runs", "100000", "--threads", "2"},
			[]string{"100000 runs at once with 2 threads each contradict this machine", "name one of the two"}},
		{[]string{"sweep", "experiments/configs/search.yaml", "--enqueue-only", "--priority", "99999999999"},
			[]string{"--priority must be a number from -2147483648 to 2147483647"}},
		{[]string{"worker", "--runs", "-1"}, []string{"-1 runs at once are too few"}},
		{[]string{"worker", "--lease", "1s"}, []string{"--lease 1s is too short"}},
		{[]string{"tracker", "sql", " "}, []string{"the query is empty"}},
		{[]string{"train", "--set", "eval.top_l=[5,5]"}, []string{"eval.top_l must be different numbers"}},
		{[]string{"train", "--set", "=3"}, []string{"--set =3: is not of the form key=value"}},
	} {
		p.fails(exitUsage, c.wants, c.args...)
	}
	p.env = append(p.env, "SPHERELAB_SIMD=foo")
	for _, args := range [][]string{{"train"}, {"version"}, {"eval", "last"}, {"query", "last", "a", "b", "?"}} {
		p.fails(exitUsage, []string{"SPHERELAB_SIMD", "foo"}, args...)
	}
	p.env = append(p.env[:1], "SPHERELAB_ROOTS=newton")
	for _, args := range [][]string{{"train"}, {"version"}, {"eval", "last"}, {"query", "last", "a", "b", "?"}} {
		p.fails(exitUsage, []string{"SPHERELAB_ROOTS", "newton", "one of instruction, sequence, mixed"}, args...)
	}
	p.env = append(p.env[:1], "SPHERELAB_TRAIN_EPOCH=3")
	p.fails(exitUsage, []string{"environment variable SPHERELAB_TRAIN_EPOCH", "SPHERELAB_TRAIN_EPOCHS?"}, "train")
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused command line made the home folder: %v", err)
	}
}

func TestNowhereToWriteOrLog(t *testing.T) {
	t.Parallel()
	config := smallJob(t, 2)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := &program{t, []string{"HOME=" + t.TempDir(), "SPHERELAB_HOME=" + filepath.Join(file, "home")}}
	p.fails(exitFailed, []string{file, "not a directory", "--data-dir or SPHERELAB_HOME names another data directory"},
		"train", config)
	p.env = nil
	p.fails(exitFailed, []string{"SPHERELAB_HOME", "--data-dir"}, "train", config)
	p.env = []string{"HOME=" + t.TempDir(), "DATABASE_URL=postgres://nobody:secret@127.0.0.1:1/none?sslmode=disable"}
	_, stderr, code := p.run("train", config)
	if code != exitFailed || !strings.Contains(stderr, "cannot be reached") || strings.Contains(stderr, "secret") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}
