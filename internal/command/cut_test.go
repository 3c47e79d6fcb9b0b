package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
)

// TestCutFlags: --precision and --recall make a cut, and only one flag may choose it.
func TestCutFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flags, cut, fails string }{
		{"", "", ""},
		{"--precision .8", "precision-0.8", ""},
		{"--recall=.25", "recall-0.25", ""},
		{"--coverage .9", "coverage-0.9", ""},
		{"--coverage 90", "", "--coverage must be above 0 and below 1, of six digits at most, not \"90\""},
		{"--coverage .9 --recall .9", "", "--recall and --coverage exclude each other"},
		{"--coverage .9 --slack 1", "", "--slack moves a threshold, but cut coverage-0.9 promises one"},
		{"--cut coverage-2", "", "a promised coverage is written coverage-0.8"},
		{"--cut precision-0.8", "precision-0.8", ""},
		{"--cut expected-novel --slack -1", "expected-novel", ""},
		{"--precision 0", "", "--precision must be above 0 and below 1, of six digits at most, not \"0\""},
		{"--precision 1", "", "--precision must be above 0 and below 1, of six digits at most, not \"1\""},
		{"--recall NaN", "", "--recall must be above 0 and below 1, of six digits at most, not \"NaN\""},
		{"--precision 0.9999999", "", "of six digits at most, not \"0.9999999\""},
		{"--precision .8 --recall .5", "", "--precision and --recall exclude each other: each chooses the cut"},
		{"--precision .8 --cut margin", "", "--cut and --precision exclude each other"},
		{"--recall .8 --criterion sphere", "", "--criterion and --recall exclude each other"},
		{"--precision .8 --slack 1", "", "--slack moves a threshold, but cut precision-0.8 promises one"},
		{"--cut recall-0.5 --slack 1", "", "--slack moves a threshold, but cut recall-0.5 promises one"},
		{"--cut precision-1", "", "a promised precision is written precision-0.8"},
		{"--cut recall-.5", "", "a promised recall is written recall-0.8"},
		{"--cut known", "", `cut "known" needs no model`},
		{"--cut expected-novl", "", `there is no cut "expected-novl"; did you mean "expected-novel"? There are: fitted-f1`},
		{"--cut xyz123456789", "", `there is no cut "xyz123456789"; there are: fitted-f1`},
	} {
		var f cutFlags
		cmd := &cobra.Command{}
		f.add(cmd)
		var cut answer.Cut
		err := cmd.ParseFlags(strings.Fields(c.flags + " --drop-itself"))
		if err != nil {
			err = plainFlag(err)
		} else if err = checkGroups(cmd); err == nil {
			cut, err = f.chosen()
		}
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: error %v, want %q", c.flags, err, c.fails)
			}
		case err != nil || cut.Name != c.cut || !cut.DropItself:
			t.Errorf("%s: %+v, %v", c.flags, cut, err)
		}
	}
}

// TestEvalWith: what --with does not take is refused before a run is looked for.
func TestEvalWith(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"--with margin":                         "--with must be cuts by probabilities, such as expected-novel",
		"--with precision-2":                    "--with must be cuts by probabilities, such as expected-novel",
		"--with expected-f1 --split valid":      "--with is for an evaluation of one run on the test split",
		"--with expected-f1 --against last":     "--with is for an evaluation of one run on the test split",
		"--with expected-f1,recall-0.5,top-10 ": `not "expected-f1,recall-0.5,top-10"`,
	} {
		cmd := (&app{home: t.TempDir()}).command()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append([]string{"eval", "last"}, strings.Fields(flags)...))
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", flags, err, want)
		}
	}
}

// TestNumberFlags: a flag with a value that it cannot have says what it takes, without a word of Go.
func TestNumberFlags(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"query last a b ? --precision 80%": `--precision must be a number, as 0.8, not "80%"`,
		"query last a b ? --recall x":      `--recall must be a number, as 0.8, not "x"`,
		"query last a b ? --limit 1.5":     `--limit must be a whole number from 0, not "1.5"`,
		"runs calibration --precision a,b": `--precision must be a number, as 0.8, not "a,b"`,
	} {
		cmd := (&app{home: t.TempDir()}).command()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(flags))
		err := cmd.ExecuteContext(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), want+"; see ") {
			t.Errorf("%s: %v, want %q", flags, err, want)
		}
	}
}

// TestCriteriaAreNamed: every place that lists the criteria has all of them.
func TestCriteriaAreNamed(t *testing.T) {
	t.Parallel()
	places := map[string]string{"the help of --cut": aboutCuts()}
	for file, word := range map[string]string{"CONTRIBUTING.md": "| criterion |", "docs/lab.md": "`run.Cut("} {
		raw, err := os.ReadFile(filepath.Join("../..", file))
		expect.NoError(t, err)
		_, after, found := strings.Cut(string(raw), word)
		if !found {
			t.Errorf("%s has no %q", file, word)
		}
		places[file] = after[:min(len(after), 400)]
	}
	for place, text := range places {
		for _, c := range sphere.Criteria() {
			if !strings.Contains(text, string(c)) {
				t.Errorf("%s leaves out the criterion %s", place, c)
			}
		}
	}
}

// TestSlackAcrossQuestions: slack is refused where answers to several queries are listed, with what to type instead.
func TestSlackAcrossQuestions(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"query last --file q.tsv --slack 0.5", "predict last --relation r --slack -1"} {
		cmd := (&app{home: t.TempDir()}).command()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(line))
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "--slack cannot be used with") ||
			!strings.Contains(err.Error(), "--precision 0.8") {
			t.Errorf("%s: error %v", line, err)
		}
	}
}
