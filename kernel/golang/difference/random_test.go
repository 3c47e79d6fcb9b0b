package difference

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// randomRecord has, for each seed from 1 on, a line with the checksum of what the compiled program gives.
const randomRecord = "testdata/random.txt"

const (
	recordedRandom = 300     // programs of randomRecord
	soakedRandom   = 100_000 // programs that SPHERELAB_SOAK=1 compiles
	randomBatch    = 400     // programs of one compiled program
	randomProcess  = 10_000  // programs of one process of cells: package reflect keeps some 60 kB of types of each
)

// TestRandom runs random programs and compares what they give with what compiled Go recorded.
func TestRandom(t *testing.T) {
	recorded, err := os.ReadFile(randomRecord)
	if err != nil {
		t.Fatalf("%v: make programs writes it", err)
	}
	sums := strings.Fields(string(recorded))
	if len(sums) != recordedRandom {
		t.Fatalf("%d checksums, want %d: make programs writes them", len(sums), recordedRandom)
	}
	e := start(t)
	for i, want := range sums {
		if got := interpretedRandom(t, e, uint64(i+1)); sum(got) != want {
			code, _ := randomProgram(uint64(i + 1))
			t.Errorf("seed %d gives other than compiled Go:\n%s\n%s", i+1, code, got)
		}
	}
}

func sum(text string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) }

func interpretedRandom(t *testing.T, e engine, seed uint64) string {
	t.Helper()
	code, function := randomProgram(seed)
	var err error
	got := printed(t, func() {
		if err = e.Cell(code); err == nil {
			err = e.Cell("fmt.Print(" + function + "())")
		}
	})
	if err != nil {
		return got + ending(err)
	}
	return got
}

// TestRandomCompiled compiles random programs in batches and runs them as cells. SPHERELAB_TEST_RANDOM says how many,
// and the first seed after a comma.
func TestRandomCompiled(t *testing.T) {
	count, first := 0, uint64(1)
	write := os.Getenv("SPHERELAB_WRITE_PROGRAMS") != ""
	if os.Getenv("SPHERELAB_SOAK") != "" {
		count = soakedRandom
	}
	if text := os.Getenv("SPHERELAB_TEST_RANDOM"); text != "" {
		number, from, _ := strings.Cut(text, ",")
		count, _ = strconv.Atoi(number)
		if from != "" {
			first, _ = strconv.ParseUint(from, 10, 64)
		}
	}
	if write {
		count, first = recordedRandom, 1
	}
	if count == 0 {
		t.Skip("SPHERELAB_SOAK=1 compiles random programs")
	}
	if count > randomProcess {
		inProcesses(t, first, count)
		return
	}
	record, refused, different := "", 0, 0
	for done := 0; done < count; done += randomBatch {
		batch := min(randomBatch, count-done)
		outputs := compiledRandom(t, first+uint64(done), batch)
		if write {
			for i := range batch {
				text, ok := outputs[uint64(i)+1]
				if !ok {
					t.Fatalf("the compiler refuses seed %d", i+1)
				}
				record += sum(text) + "\n"
			}
			continue
		}
		e := start(t)
		for i := range batch {
			seed := first + uint64(done+i)
			want, ok := outputs[seed]
			if !ok {
				refused++
				continue
			}
			if got := interpretedRandom(t, e, seed); got != want {
				different++
				code, _ := randomProgram(seed)
				t.Errorf("seed %d\n%s\ngot\n%s\nwant\n%s", seed, code, got, want)
			}
		}
		t.Logf("%d programs, %d different; the compiler refuses %d", done+batch, different, refused)
	}
	if write {
		expect.NoError(t, os.WriteFile(randomRecord, []byte(record), 0o644))
	}
	if refused*10 > count {
		t.Errorf("the compiler refuses %d of %d programs: too many to test much", refused, count)
	}
}

// inProcesses runs the test for so many programs at once that their memory fits.
func inProcesses(t *testing.T, first uint64, count int) {
	t.Helper()
	for done := 0; done < count; done += randomProcess {
		some := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=0")
		some.Env = append(os.Environ(),
			fmt.Sprintf("SPHERELAB_TEST_RANDOM=%d,%d", min(randomProcess, count-done), first+uint64(done)))
		out, err := some.CombinedOutput()
		if err != nil {
			t.Errorf("seeds from %d on: %v\n%s", first+uint64(done), err, out)
			continue
		}
		t.Logf("seeds from %d on:\n%s", first+uint64(done), out)
	}
}

var refusedFile = regexp.MustCompile(`(?m)^\./s(\d+)\.go:`)

// compiledRandom returns what compiled programs print, by their seed. The compiler refuses a few of them.
func compiledRandom(t *testing.T, first uint64, count int) map[uint64]string {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	write("go.mod", "module programs\n\ngo 1.26\n")
	functions := map[uint64]string{}
	for i := range count {
		seed := first + uint64(i)
		code, function := randomProgram(seed)
		functions[seed] = function
		write(fmt.Sprintf("s%d.go", seed), code)
	}
	for range 3 {
		var calls strings.Builder
		for seed, function := range functions {
			fmt.Fprintf(&calls, "\tfmt.Printf(\"%d %%q\\n\", %s())\n", seed, function)
		}
		write("main.go", "package main\n\nimport \"fmt\"\n\nfunc main() {\n"+calls.String()+"}\n")
		build := exec.Command("go", "build", "-gcflags=-e", "-o", "all", ".")
		build.Dir = folder
		out, err := build.CombinedOutput()
		if err == nil {
			return ranRandom(t, filepath.Join(folder, "all"))
		}
		found := refusedFile.FindAllSubmatch(out, -1)
		if len(found) == 0 {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, m := range found {
			seed, _ := strconv.ParseUint(string(m[1]), 10, 64)
			if functions[seed] != "" {
				t.Logf("the compiler refuses seed %d: %s", seed, firstLines(out[bytes.Index(out, m[0]):]))
			}
			delete(functions, seed)
			_ = os.Remove(filepath.Join(folder, fmt.Sprintf("s%d.go", seed)))
		}
	}
	t.Fatal("the compiler refuses more programs each time")
	return nil
}

func ranRandom(t *testing.T, program string) map[uint64]string {
	t.Helper()
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	outputs := map[uint64]string{}
	for line := range strings.Lines(string(out)) {
		number, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		seed, err := strconv.ParseUint(number, 10, 64)
		expect.NoError(t, err)
		if outputs[seed], err = strconv.Unquote(quoted); err != nil {
			t.Fatal(err)
		}
	}
	return outputs
}
