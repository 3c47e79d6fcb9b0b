package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/expect"
)

// leastRounds is the smallest number of rounds behind a median.
const leastRounds = 5

// kernelMeasures are the measures of _tool/python/kernel_bench.py in words, with the project's goals (0: none).
var kernelMeasures = []struct {
	key, words string
	goal       time.Duration
}{
	{"start", "exec to the first `kernel_info_reply`", 300 * time.Millisecond},
	{"round_trip", "round trip of `1+1`", 2 * time.Millisecond},
	{"loop_1e6", "interpreted loop of 1,000,000 additions", 0},
	{"calls_1e6", "1,000,000 calls of a compiled function, one argument (`math.Sqrt`)", 0},
	{"calls_two_arguments_1e6", "the same, two arguments (`math.Atan2`)", 0},
}

// kernelTimes are the seconds of each round by measure and kernel.
type kernelTimes map[string]map[string][]float64

// BenchmarkKernel times our kernel and Python's, in turns, through a real client. All rounds are done before the first
// result, and the table of their medians is printed; each repetition (-count) then reports one round.
func BenchmarkKernel(b *testing.B) {
	times := timeKernels(b)
	fmt.Printf("medians of %d rounds\n%s", len(times["start"][kernelName]), times.table())
	for _, m := range kernelMeasures {
		for _, kernel := range []string{kernelName, "python3"} {
			seconds := times[m.key][kernel]
			if len(seconds) == 0 {
				b.Fatalf("%s of %s was not timed", m.key, kernel)
			}
			round := -1
			b.Run(m.key+"/"+kernel, func(b *testing.B) {
				if b.N == 1 { // a repetition begins
					round++
				}
				for range b.N { // timed outside, by the client
				}
				b.ReportMetric(seconds[round%len(seconds)]*1e9, "ns/op")
			})
		}
	}
}

func timeKernels(b *testing.B) kernelTimes {
	b.Helper()
	path, err := built()
	expect.NoError(b, err)
	rounds := leastRounds
	if f := flag.Lookup("test.count"); f != nil {
		if count, err := strconv.Atoi(f.Value.String()); err == nil {
			rounds = max(rounds, count)
		}
	}
	env := []string{"HOME=" + b.TempDir(), "JUPYTER_DATA_DIR=" + b.TempDir(), "JUPYTER_RUNTIME_DIR=" + b.TempDir(),
		"IPYTHONDIR=" + b.TempDir()}
	cmd := pythonCommand(b, env, abs(b, root, "_tool/python/kernel_bench.py"), strconv.Itoa(rounds), kernelName,
		"python3")
	install := exec.Command(path, "kernel", "install")
	install.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	output(b, install)
	var times kernelTimes
	expect.NoError(b, json.Unmarshal(output(b, cmd), &times))
	return times
}

// table is Markdown, as docs/kernel.md shows it.
func (k kernelTimes) table() string {
	var t strings.Builder
	environment := experiments.ReadEnvironment(context.Background())
	fmt.Fprintf(&t, "| %s, %d cores | %s | ipykernel | goal |\n|---|---|---|---|\n", environment.CPU, environment.Cores,
		kernelName)
	for _, m := range kernelMeasures {
		goal := ""
		if m.goal > 0 {
			goal = milliseconds(m.goal.Seconds())
		}
		fmt.Fprintf(&t, "| %s | %s | %s | %s |\n", m.words, milliseconds(median(k[m.key][kernelName])),
			milliseconds(median(k[m.key]["python3"])), goal)
	}
	return t.String()
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if len(x) == 0 {
		return 0
	}
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// milliseconds returns two digits or more.
func milliseconds(seconds float64) string {
	ms := seconds * 1e3
	if ms < 10 {
		return fmt.Sprintf("%.2g ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
