package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestCompletion: the shell completes names without a database, and makes none.
func TestCompletion(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	for typed, want := range map[string]string{
		"train BUNDLED/rotate3": "bundled/rotate3d", "table wn": "wn18rr", "runs show l": "last", "data get fb": "fb15k-237",
	} {
		var out bytes.Buffer
		a := &app{stdout: &out, stderr: &bytes.Buffer{}, env: []string{"SPHERELAB_HOME=" + home}}
		root := a.command()
		root.SetArgs(append([]string{"__complete"}, strings.Fields(typed)...))
		expect.NoError(t, root.ExecuteContext(context.Background()))
		if first, _, _ := strings.Cut(out.String(), "\n"); first != want {
			t.Errorf("%s is completed as %q, want %q", typed, out.String(), want)
		}
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("completion made the home folder")
	}
}
