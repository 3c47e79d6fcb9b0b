package house

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// Subjects up to this commit were written before the rule.
const lastFreeSubject = "0f6cdd9418d89e5cfc2077094621c6fecf54747e"

var subjectForm = regexp.MustCompile(`^[a-zA-Z0-9_./*-]+( [a-zA-Z0-9_./*-]+)?(, [a-zA-Z0-9_./*-]+)*: \S`)

// checkSubject holds CONTRIBUTING.md's form of a commit's subject: "area: change", under 72 characters.
func checkSubject(subject string) string {
	switch {
	case len([]rune(subject)) >= 72:
		return "72 characters or more"
	case !subjectForm.MatchString(subject):
		return `not of the form "area: change"`
	case strings.HasSuffix(subject, "."):
		return "ends with a full stop"
	}
	return ""
}

func TestCommitSubjects(t *testing.T) {
	t.Parallel()
	if head, err := exec.Command("git", "rev-parse", "--git-path", "logs/HEAD").Output(); err == nil {
		_, _ = os.Stat(strings.TrimSpace(string(head))) // a new commit makes go test forget the result
	}
	if err := exec.Command("git", "merge-base", "--is-ancestor", lastFreeSubject, "HEAD").Run(); err != nil {
		t.Skip("no git history to check: an export, a shallow clone, or no git")
	}
	out, err := exec.Command("git", "log", "--no-merges", "--format=%h %s", lastFreeSubject+"..HEAD").Output()
	expect.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		hash, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if fault := checkSubject(subject); fault != "" {
			t.Errorf("%s %q: %s", hash, subject, fault)
		}
	}
}

func TestCommitSubjectsFindFaults(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"tracker: reject long keys":                     "",
		"experiments, dataset: carry hints":             "",
		"cmd tracker: move tables":                      "",
		"kernel/bindings: embed the docs":               "",
		"reject long keys":                              "area",
		"tracker:reject":                                "area",
		"tracker: ":                                     "area",
		"tracker: reject long keys.":                    "full stop",
		"tracker: " + strings.Repeat("é", 62):           "",
		"tracker: " + strings.Repeat("é", 63):           "72",
		"a sentence that says: something":               "area",
		"tracker, kernel/display, cmd tracker: a, b: c": "area",
	} {
		if got := checkSubject(subject); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", subject, got, want)
		}
	}
}
