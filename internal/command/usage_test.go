package command

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
)

// run executes a command line in this process.
func run(t *testing.T, env []string, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, env, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), code
}

// refusedLine is a command line and what its error says.
type refusedLine struct{ args, wants []string }

// refusedTrainings have a bad config, a file of facts and the folder of a graph.
func refusedTrainings(bad, facts, graph string) []refusedLine {
	return []refusedLine{
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
		{[]string{"train", "--data", graph}, []string{"is itself a graph", "train " + graph}},
		{[]string{"train", "--thread", "2"}, []string{"unknown flag: --thread; did you mean --threads?", "--help"}},
		{[]string{"train", "--epochs", "2"}, []string{"unknown flag: --epochs; did you mean --set train.epochs=VALUE?"}},
		{[]string{"train", "rotate"}, []string{"rotate is a model", "train GRAPH rotate"}},
		{[]string{"train", "--seed", "7"}, []string{"unknown flag: --seed; did you mean --set seed=VALUE?"}},
		{[]string{"trian"}, []string{`unknown command "trian"; did you mean train?`}},
		{[]string{"train", "--set", "eval.top_l=[5,5]"}, []string{"eval.top_l must be different numbers"}},
		{[]string{"train", "--set", "=3"}, []string{"--set =3: is not of the form key=value"}},
		{[]string{"train", "--resume", "last", "--finish", "last"},
			[]string{"--resume and --finish exclude each other", "--finish ends it now"}},
		{[]string{"train", "--finish", "last", "--hours", "1"}, []string{"--finish does not train"}},
		{[]string{"train", "--hours", "0"}, []string{`--hours must be above 0 and at most 2,500,000, not "0"`}},
		{[]string{"train", "--hours", "NaN"}, []string{`--hours must be above 0 and at most 2,500,000, not "NaN"`}},
	}
}

// refusedQuestions ask or evaluate a run.
func refusedQuestions() []refusedLine {
	return []refusedLine{
		{[]string{"explain", "last", "a", "advised", "?"}, []string{"a whole fact", "query RUN HEAD RELATION '?'"}},
		{[]string{"query", "last", "x"}, []string{"HEAD RELATION ?, ? RELATION TAIL, HEAD ? TAIL, or an expression",
			`got the one field "x"`}},
		{[]string{"query", "last", "x >"}, []string{"query: character 4: found the end, expected the name of a relation"}},
		{[]string{"eval", "last", "--queries", "q", "--split", "valid"}, []string{"--queries and --split exclude each other"}},
		{[]string{"data", "queries", "bundled", "--types", "4p"}, []string{`--types: query type "4p" is not known`, "1p 2p 3p"}},
		{[]string{"eval", "last", "--against", "last", "--cut", "margn"},
			[]string{`--cut: there is no cut "margn"; did you mean "margin"?`}},
		{[]string{"predict", "last", "--relation", "r", "--all", "--seen"}, []string{"--seen and --all exclude each other", "use one of them"}},
		{[]string{"query", "last", "x", "y"}, []string{"got 3 arguments, needs RUN and a query"}},
		{[]string{"query", "last", "--file", "q.tsv", "x > y"}, []string{"got 2 arguments, needs 1"}},
		{[]string{"query", "last", "a", "advised", "?", "--cut", "margn"},
			[]string{`no cut "margn"; did you mean "margin"?`}},
		{[]string{"query", "last", "a", "advised", "?", "--cut", "margin", "--criterion", "sphere"},
			[]string{"--cut and --criterion exclude each other: each chooses the cut"}},
		{[]string{"explain", "last", "a", "advised", "b", "--cut", "top-3", "--slack", "1"}, []string{"fixed size"}},
		{[]string{"predict", "last"}, []string{"predict needs --relation RELATION"}},
		{[]string{"query", "last", "?", "advised", "?"}, []string{"exactly one '?'", "HEAD RELATION ?"}},
		{[]string{"query", "last", "a", "advised", "b"}, []string{"exactly one '?'"}},
		{[]string{"eval", "last", "--top-l", "0"}, []string{`--top-l must be different sizes from 1, such as 1,10, not "0"`}},
		{[]string{"eval", "last", "--top-l", "5,5"}, []string{`--top-l must be different sizes from 1, such as 1,10, not "5,5"`}},
		{[]string{"eval", "last", "--fit", "--split", "valid"}, []string{"evaluate them with --split test"}},
		{[]string{"eval", "last", "--criterion", "ball"},
			[]string{`--criterion must be one of margin, sphere, intersect, blocks, boxes, not "ball"`}},
		{[]string{"eval", "last", "--against-cut", "margin"}, []string{"--against-cut belongs to --against"}},
		{[]string{"eval", "last", "--threads", "-3"}, []string{`--threads must be a whole number from 0, not "-3"`}},
		{[]string{"eval", "last", "--split", "train"}, []string{`--split must be one of test, valid, not "train"`}},
		{[]string{"eval", "last", "--with", "expected-f1", "--against", "last"},
			[]string{"--with and --against exclude each other: --with is for an evaluation of one run"}},
		{[]string{"predict", "last", "--relation", "r", "--side", "left"},
			[]string{`--side must be one of head, tail, both, not "left"`}},
		{[]string{"predict", "last", "--relation", "r", "--top", "-1"}, []string{"--top must be a whole number from 0"}},
	}
}

// otherRefusals are of all other commands; bad is a file.
func otherRefusals(bad string) []refusedLine {
	return []refusedLine{
		{[]string{"runs", "shwo"}, []string{`unknown command "runs shwo"; did you mean show?`}},
		{[]string{"runs", "ls", "--format", "xml"},
			[]string{`must be one of text, markdown, latex, csv, html, json, not "xml"`}},
		{[]string{"table", "nosuch"}, []string{`no table "nosuch"`, "bundled"}},
		{[]string{"data", "get", "fb15k"}, []string{`data set "fb15k" is unknown`, "fb15k-237"}},
		{[]string{"data", "ls", "--data", bad + "-nowhere"}, []string{bad + "-nowhere cannot be listed: no such file"}},
		{[]string{"data", "ls", "--data", bad}, []string{"is a file; it must be a folder"}},
		{[]string{"runs", "ls", "--status", "bogus"},
			[]string{"--status must be one of running, finished, failed, killed"}},
		{[]string{"worker", "--runs", "100000", "--threads", "2"},
			[]string{"100000 runs at once with 2 threads each contradict this machine", "name one of the two"}},
		{[]string{"sweep", "experiments/configs/search.yaml", "--enqueue-only", "--priority", "99999999999"},
			[]string{"--priority must be a number from -2147483648 to 2147483647"}},
		{[]string{"worker", "--runs", "-1"}, []string{"-1 runs at once are too few"}},
		{[]string{"worker", "--lease", "1s"}, []string{"--lease 1s is too short"}},
		{[]string{"tracker", "sql", " "}, []string{"the query is empty"}},
		{[]string{"sweep", "experiments/configs/search.yaml", "--slurm", "--best", "x"},
			[]string{"--best says what this program does with its runs; workers train those"}},
		{[]string{"sweep", "experiments/configs/search.yaml", "--priority", "1"},
			[]string{"--priority belongs to --enqueue-only"}},
		{[]string{"kernel", "install", "--user", "--sys-prefix"},
			[]string{"--user and --sys-prefix exclude each other: they name different places"}},
		{[]string{"kernel", "install", "--prefix="}, []string{"--prefix must be a folder, for example /usr/local"}},
		{[]string{"kernel", "install", "--name", "a/b"}, []string{"--name: ", "a/b"}},
		{[]string{"runs", "purge", "--older-than", "soon"}, []string{`--older-than must be a time such as 30d or 12h, not "soon"`}},
		{[]string{"runs", "radius", "last", "--top", "0"}, []string{"--top must be a whole number from 1"}},
		{[]string{"stack", "a", "b", "--with", "forests"}, []string{`--with must be one of trees, not "forests"`}},
		{[]string{"tracker", "sql", "select 1", "--limit", "3", "--format", "csv"}, []string{"--limit is for --format text"}},
	}
}

// TestRefusals: a command line that cannot be meant is refused before anything starts, with what to type instead.
func TestRefusals(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	expect.NoError(t, os.WriteFile(bad, []byte("model: rotate\ntrain:\n  epoch: 3\n"), 0o644))
	facts, graph := filepath.Join(t.TempDir(), "facts.csv"), t.TempDir()
	for _, name := range []string{facts, filepath.Join(graph, "train.txt")} {
		expect.NoError(t, os.WriteFile(name, []byte("a,likes,b\n"), 0o644))
	}
	home := filepath.Join(t.TempDir(), "home")
	env := []string{"HOME=" + home}
	for _, c := range slices.Concat(refusedTrainings(bad, facts, graph), refusedQuestions(), otherRefusals(bad)) {
		_, stderr, code := run(t, env, "", c.args...)
		if code != exitUsage {
			t.Errorf("%q: exit %d", c.args, code)
		}
		for _, want := range c.wants {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q says %q, not %q", c.args, stderr, want)
			}
		}
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused command line made the home folder: %v", err)
	}
}

// TestCommandsWithoutADatabase: what needs no database answers at once, and makes no folder.
func TestCommandsWithoutADatabase(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	file := filepath.Join(t.TempDir(), "family.csv")
	expect.NoError(t, os.WriteFile(file, []byte("ann;parent;bob\nbob;parent;cy\n"), 0o644))
	for _, c := range []struct {
		args  []string
		wants []string // in the output
	}{
		{[]string{"--version"}, []string{"spherelab "}},
		{[]string{"version", "--format", "json"}, []string{`"numerics_version"`}},
		{[]string{"help", "query"}, []string{"Answer HEAD RELATION ?", "--limit int", "(default 50)", `--format string`,
			`(default "text")`}},
		{[]string{"runs"}, []string{"compare", "purge"}},
		{[]string{"data", "ls"}, []string{"bundled", "fb15k-237"}},
		{[]string{"data", "ls", "--format", "csv"}, []string{"\nbundled,"}},
		{[]string{"data", "check", "bundled"}, []string{"test"}},
		{[]string{"data", "check", file, "--format", "json"}, []string{`"train"`}},
		{[]string{"table", "datasets"}, []string{"bundled"}},
		{[]string{"runs", "radius", "fb15k-237-sphere-2d-clean", "--format", "csv"}, []string{","}},
		{[]string{"__complete", "predict", "--si"}, []string{"--side"}},
	} {
		stdout, stderr, code := run(t, []string{"HOME=" + home}, "", c.args...)
		if code != exitOK {
			t.Errorf("%q: exit %d, %s", c.args, code, stderr)
		}
		for _, want := range c.wants {
			if !strings.Contains(stdout, want) {
				t.Errorf("%q prints %q, without %q", c.args, stdout, want)
			}
		}
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the home folder was made: %v", err)
	}
}

// TestListsInHelp: help names all that there is, from where it is declared.
func TestListsInHelp(t *testing.T) {
	t.Parallel()
	for command, lists := range map[string][][]string{
		"train": {sphere.Models(), config.EmbeddedNames()}, "eval": {words(sphere.Criteria()), results.Formats},
		"query": {words(sphere.Criteria()), withCSV}, "runs ls": {statusWords(), results.Formats},
		"table": {results.TableNames()},
	} {
		stdout, _, _ := run(t, nil, "", append(strings.Fields(command), "--help")...)
		for _, list := range lists {
			for _, word := range list {
				if !strings.Contains(stdout, word) {
					t.Errorf("the help of %s leaves out %s", command, word)
				}
			}
		}
	}
}
