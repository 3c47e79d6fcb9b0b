package postgres_test

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
		if taken := tracker.CheckKey("metric", "a"+string(rune(c))+"b") == nil; verdict != '-' && taken != (verdict == '1') {
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

// A refusal names the character: that of a combining mark cannot be seen in the name.
func TestRefusedCharacterIsNamed(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"caf\u00e9": "", "cafe\u0301": "not U+0301", "a*b;c": "not U+002A"} {
		if err := tracker.CheckKey("tag", key); want == "" && err != nil ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+q: %v, want %q", key, err, want)
		}
	}
}
