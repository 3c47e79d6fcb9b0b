package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// jupyter is a program and a Jupyter that keeps everything in folders of the test.
type jupyter struct {
	*program
	data string // JUPYTER_DATA_DIR
}

func newJupyter(t *testing.T) *jupyter {
	t.Helper()
	p := newProgram(t)
	data := t.TempDir()
	for _, name := range []string{"JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_SETTINGS_DIR",
		"JUPYTERLAB_WORKSPACES_DIR"} {
		p.env = append(p.env, name+"="+t.TempDir())
	}
	p.env = append(p.env, "JUPYTER_DATA_DIR="+data)
	return &jupyter{p, data}
}

// python is a command that runs Python with Jupyter in it, with the kernel installed.
func (j *jupyter) python(args ...string) *exec.Cmd {
	j.t.Helper()
	return pythonCommand(j.t, j.env, args...)
}

// pythonCommand runs the tests' Python. Without one the test is skipped; with CI=true it fails.
func pythonCommand(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	python := os.Getenv("SPHERELAB_PYTHON")
	if python == "" {
		const why = "SPHERELAB_PYTHON does not name a Python with Jupyter; `make test` prepares one"
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	cmd := exec.Command(python, args...)
	cmd.Env = append([]string{"PATH=" + filepath.Dir(python) + string(os.PathListSeparator) + os.Getenv("PATH")},
		env...)
	return cmd
}

// output runs a command and returns what it wrote on standard output.
func output(t testing.TB, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return out
}

// abs joins the parts of a path and makes it absolute.
func abs(t testing.TB, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(parts...))
	expect.NoError(t, err)
	return path
}

// notebook writes a notebook of the given code cells and returns its path.
func notebook(t *testing.T, dir, kernel string, cells ...string) string {
	t.Helper()
	type object = map[string]any
	var list []object
	for i, code := range cells {
		list = append(list, object{"cell_type": "code", "id": fmt.Sprintf("cell-%d", i), "execution_count": nil,
			"metadata": object{}, "outputs": []any{}, "source": code})
	}
	content, err := json.Marshal(object{"cells": list, "nbformat": 4, "nbformat_minor": 5, "metadata": object{
		"kernelspec":    object{"name": kernel, "display_name": kernelDisplayName, "language": "go"},
		"language_info": object{"name": "go"}}})
	expect.NoError(t, err)
	path := filepath.Join(dir, "demo.ipynb")
	expect.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}
