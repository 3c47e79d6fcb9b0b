package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spherelab/spherelab/internal/present"
)

// slurmWorkers bounds the array of a script. It is a first value, to be changed by hand.
const slurmWorkers = 8

// slurmScript starts workers. Its exec makes the worker the process that gets the signal.
var slurmScript = template.Must(template.New("slurm").Parse(`#!/bin/sh
# Workers for the sweep {{.Sweep}}, which is in the tracker's queue. Adapt the lines of #SBATCH, then: sbatch THIS_FILE
# All nodes need the tracker (DATABASE_URL), the graphs and one place of artifacts (SPHERELAB_ARTIFACTS).
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Workers}}
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
#SBATCH --output={{.Name}}-%A-%a.log
# Two minutes before its time is over a worker saves its run and returns it; another one resumes it.
#SBATCH --signal=B:TERM@120

# The worker divides these cores.
export GOMAXPROCS="$SLURM_CPUS_PER_TASK"
exec {{.Program}} worker --drain --name "slurm-$SLURM_JOB_ID"{{range .Data}} --data {{.}}{{end}}
`))

// writeSlurm prints the script for a sweep with this number of jobs.
func (a *app) writeSlurm(sweep string, jobs int) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program for the script: %w", err)
	}
	if strings.Contains(program, "go-build") {
		return usageError{errors.New("--slurm needs an installed program, since the one of `go run` is deleted; run `go install .` and call that one")}
	}
	folders := make([]string, len(a.data))
	for i, folder := range a.data {
		if folders[i], err = filepath.Abs(folder); err != nil {
			return fmt.Errorf("folder of graphs: %w", err)
		}
	}
	return writeSlurmScript(a.stdout, program, sweep, jobs, folders)
}

func writeSlurmScript(w io.Writer, program, sweep string, jobs int, folders []string) error {
	quoted := make([]string, len(folders))
	for i, folder := range folders {
		quoted[i] = present.QuoteShell(folder)
	}
	return slurmScript.Execute(w, map[string]any{"Sweep": sweep, "Name": slurmName(sweep),
		"Workers": max(1, min(jobs, slurmWorkers)), "Program": present.QuoteShell(program), "Data": quoted})
}

// slurmName returns a sweep's name without characters that end a value in an #SBATCH line.
func slurmName(sweep string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(sweep, ".yml"), ".yaml")
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}
