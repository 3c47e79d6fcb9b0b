package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// The script starts this program as a worker, whatever is in the names of folders.
func TestSlurmScript(t *testing.T) {
	var script bytes.Buffer
	folder := filepath.Join(t.TempDir(), "it's $HOME")
	program := filepath.Join(folder, "program")
	expect.NoError(t, writeSlurmScript(&script, program, "a sweep;.yaml", 100, []string{folder}))
	for _, want := range []string{"#SBATCH --job-name=a_sweep_\n", "#SBATCH --array=1-8\n", "#SBATCH --signal=B:TERM@120\n"} {
		if !strings.Contains(script.String(), want) {
			t.Errorf("%q is not in\n%s", want, script.String())
		}
	}
	// Run by a shell with a program that prints its arguments.
	expect.NoError(t, os.MkdirAll(folder, 0o755))
	echo := []byte("#!/bin/sh\nprintf '[%s]' \"$GOMAXPROCS\" \"$@\"\n")
	expect.NoError(t, os.WriteFile(program, echo, 0o700))
	cmd := exec.Command("sh", "-c", script.String())
	cmd.Env = []string{"SLURM_CPUS_PER_TASK=4", "SLURM_JOB_ID=7", "HOME=/nowhere", "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if want := "[4][worker][--drain][--name][slurm-7][--data][" + folder + "]"; err != nil || string(out) != want {
		t.Errorf("the script calls %s, %v; want %s", out, err, want)
	}
}
