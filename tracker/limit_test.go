package tracker_test

import (
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spherelab/spherelab/tracker"
)

// TestCharactersOfNames: a name may have the characters that MLflow's own check takes, of all of Unicode that Python
// knows.
func TestCharactersOfNames(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(python(t), "-X", "utf8", "-c", `
import unicodedata
from mlflow.utils.validation import _validate_metric_name
def taken(name):
    try:
        _validate_metric_name(name)
    except Exception:
        return "0"
    return "1"
print("".join("-" if unicodedata.category(c) in ("Cn", "Cs") else taken("a" + c + "b") for c in map(chr, range(0x110000))))
`).Output()
	noError(t, err)
	verdicts := strings.TrimSpace(string(out))
	if len(verdicts) != utf8.MaxRune+1 || strings.Count(verdicts, "1") < 100_000 {
		t.Fatalf("MLflow takes %d of %d characters", strings.Count(verdicts, "1"), len(verdicts))
	}
	for c, verdict := range verdicts {
		if taken := tracker.InKey(rune(c)); verdict != '-' && taken != (verdict == '1') {
			t.Errorf("%U: taken is %t, by MLflow %c", c, taken, verdict)
		}
	}
	for _, name := range []string{"größe/损失 ½", "_٣", strings.Repeat("ß", 250)} {
		noError(t, tracker.CheckKey("metric", name))
	}
	for _, name := range []string{"a\xffb", "a\x00b", strings.Repeat("ß", 251), "ß//ß", "a\n"} {
		if tracker.CheckKey("metric", name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
}
