package house

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/sourcetree"
)

// A product and a sum fused into one instruction are rounded once instead of twice, so the same source gives other bits
// where the compiler fuses: on arm64 and at GOAMD64=v3. ARCHITECTURE.md has the rule; these tests hold it.

// fused matches the mnemonics of Go's assemblers for arm64 (FMADDD, FNMSUBS, VFMLA, ...) and amd64 (VFMADD231SD,
// VFMADDSUB132PS, ...).
var fused = regexp.MustCompile(`^(FN?M(ADD|SUB)[SDH]|Z?V?FN?ML[AS]\w*|VFN?M(ADD|SUB|ADDSUB|SUBADD)\d*[A-Z]*|VF(MADDSUB|MSUBADD)\w*)$`)

// runtimeFloat are functions of Go's runtime that the compiler calls for float arithmetic and that are compiled outside
// our rules.
var runtimeFloat = regexp.MustCompile(`runtime\.complex128div`)

// rootKernel matches the kernels that may contain fused instructions, by the files that they are assembled from: the
// sequences that compute correctly rounded roots and quotients.
var rootKernel = regexp.MustCompile(`/spherE/internal/simd/avx(2|512)_(sequence|mixed)_amd64\.s:\d+\)$`)

// TestFusedOnlyInRoots holds that in those kernels nothing else is fused: one file of the generator emits them.
func TestFusedOnlyInRoots(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(root, "spherE", "internal", "simd", "_generate")
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	expect.NoError(t, err)
	emits := regexp.MustCompile(`\bVFN?M(ADD|SUB)\w*\(`)
	found := false
	for _, file := range files {
		code, err := os.ReadFile(file)
		expect.NoError(t, err)
		here := emits.Match(code)
		if filepath.Base(file) == "root.go" {
			found = here
		} else if here {
			t.Errorf("%s emits a fused instruction: only root.go may", file)
		}
	}
	if !found {
		t.Error("root.go of the generator is not seen to emit fused instructions")
	}
}

type target struct {
	name string
	env  []string
}

var exactTargets = []target{
	{"arm64", []string{"GOOS=linux", "GOARCH=arm64"}},
	{"amd64-v3", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}},
}

func TestNoFusedInstructions(t *testing.T) {
	t.Parallel()
	for _, target := range exactTargets {
		t.Run(target.name, func(t *testing.T) {
			t.Parallel()
			listing, instructions := disassemble(t, root, module+"/spherE/...", target.env, "./spherE/...")
			// Fewer would mean that the listing was not understood.
			if instructions < 10_000 {
				t.Fatalf("only %d instructions read", instructions)
			}
			exempt := 0
			for _, line := range listing {
				if rootKernel.MatchString(line) {
					exempt++
					continue
				}
				t.Error(line)
			}
			if vectors := target.name != "arm64"; vectors != (exempt > 0) {
				t.Errorf("%d fused instructions in kernels with root sequences: the exemption is not understood", exempt)
			}
			if t.Failed() {
				t.Log("write float32(a*b)+c or float64(a*b)+c: the conversion keeps the product apart from the sum")
			}
		})
	}
}

// TestNoFusedInstructionsFindsThem compiles a package that fuses, so that a change of the compiler's listing cannot
// silence the test above.
func TestNoFusedInstructionsFindsThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module fuse\n\ngo 1.26\n")
	writeFile(t, filepath.Join(dir, "fuse.go"), `package fuse

func Fused64(a, b, c float64) float64 { return a*b + c }
func Fused32(a, b, c float32) float32 { return c + a*b }
func Exact64(a, b, c float64) float64 { return float64(a*b) + c }
func Exact32(a, b, c float32) float32 { return float32(a*b) + c }
func Complex(a, b complex128) complex128 { return a / b }
`)
	for _, target := range exactTargets {
		found, _ := disassemble(t, dir, "fuse", target.env, "./...")
		text := strings.Join(found, "\n")
		for function, want := range map[string]bool{"Fused64": true, "Fused32": true, "Exact64": false,
			"Exact32": false, "Complex": true} {
			if strings.Contains(text, "fuse."+function+":") != want {
				t.Errorf("%s: found in %s is %v, want %v, in:\n%s", target.name, function, !want, want, text)
			}
		}
	}
	for _, mnemonic := range []string{"FMADDD", "FNMSUBS", "VFMLA", "VFMADD231SD", "VFNMSUB132PS", "VFMADDSUB213PD"} {
		if !fused.MatchString(mnemonic) {
			t.Errorf("%s is not seen as fused", mnemonic)
		}
	}
	for _, mnemonic := range []string{"FMULD", "FADDS", "VMULSD", "VADDPS", "FMOVD", "VFPCLASSPS", "FMAXD"} {
		if fused.MatchString(mnemonic) {
			t.Errorf("%s is taken for fused", mnemonic)
		}
	}
}

// disassemble compiles and assembles packages, pattern naming those whose instructions are listed, and returns a line
// per fault and the number of instructions that it read. The listing is of everything the package holds, also what a
// linker would drop.
func disassemble(t *testing.T, dir, pattern string, env []string, packages string) (faults []string, instructions int) {
	t.Helper()
	expect.NoError(t, sourcetree.Depend(dir))
	cmd := exec.Command("go", "build", "-gcflags="+pattern+"=-S", "-asmflags="+pattern+"=-S", packages)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{"CGO_ENABLED=0"}, env...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, lastLines(out, 20))
	}

	// "pkg.Func STEXT ..." opens a function; its instructions are lines of tab separated columns: "", offsets and
	// position, mnemonic, operands.
	function := ""
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, _, ok := strings.Cut(line, " STEXT"); ok && !strings.HasPrefix(line, "\t") {
			function = name
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) < 3 || columns[0] != "" || !strings.HasPrefix(columns[1], "0x") {
			continue
		}
		instructions++
		operands := strings.Join(columns[3:], " ")
		if fused.MatchString(columns[2]) || runtimeFloat.MatchString(operands) {
			faults = append(faults, fmt.Sprintf("%s: %s %s at %s", function, columns[2], operands, columns[1]))
		}
	}
	expect.NoError(t, lines.Err())
	return faults, instructions
}

// exactMath are the functions of package math that give the same bits on every machine: one correctly rounded
// instruction, or bits moved.
var exactMath = []string{
	"Sqrt", "Abs", "Floor",
	"Float32bits", "Float32frombits", "Float64bits", "Float64frombits",
	"Signbit", "Copysign", "IsNaN", "IsInf", "NaN", "Inf",
}

// mathConstant matches the constants of package math.
var mathConstant = regexp.MustCompile(`^(E|Pi|Phi|Sqrt(2|E|Pi|Phi)|Ln2|Ln10|Log2E|Log10E|(Max|Min|SmallestNonzero)(Int|Uint|Float)(8|16|32|64)?)$`)

// inexactImports compute with functions of package math, or draw numbers that may change with Go's version.
var inexactImports = []string{"math/cmplx", "math/rand", "math/rand/v2", "crypto/rand"}

func TestMathIsExact(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(inRoot("spherE"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (strings.HasPrefix(name, "_") || name == "testdata") {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, fault := range checkMath(path, source) {
			t.Error(fault)
		}
		return nil
	})
	expect.NoError(t, err)
	if files == 0 {
		t.Fatal("no source file found under spherE")
	}
}

func TestMathIsExactFindsFaults(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`import "math"; var _ = math.Sqrt(2) + math.Abs(1) + math.Floor(3) + math.MaxFloat32 + math.Pi`: "",
		`import "math"; var _ = math.Float32bits(1) + math.MaxUint32`:                                   "",
		`import "math/bits"; var _ = bits.Len(3)`:                                                       "",
		`import "math"; var _ = math.Exp(2)`:                                                            "math.Exp",
		`import m "math"; var f = m.FMA`:                                                                "math.FMA",
		`import . "math"; var _ = Log(2)`:                                                               "dot import",
		`import "math/rand/v2"; var _ = rand.Int()`:                                                     "math/rand/v2",
		`import "math/cmplx"; var _ = cmplx.Abs(1)`:                                                     "math/cmplx",
		`import "gonum.org/v1/gonum/mat"; var _ mat.Dense`:                                              "gonum.org",
		`import "golang.org/x/sys/cpu"; var _ = cpu.X86`:                                                "",
	} {
		got := strings.Join(checkMath("x.go", []byte("package x; "+source)), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// checkMath reads one file of spherE/**. It also checks the imported modules: their arithmetic would have to follow
// these rules too.
func checkMath(path string, source []byte) []string {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	fault := func(at token.Pos, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s: %s", set.Position(at), fmt.Sprintf(format, args...)))
	}

	mathName := ""
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			fault(spec.Pos(), "%v", err)
			continue
		}
		switch {
		case slices.Contains(inexactImports, imported):
			fault(spec.Pos(), "%s may not be imported under spherE: its numbers differ by machine or version", imported)
		case imported == "math" && spec.Name != nil && spec.Name.Name == ".":
			fault(spec.Pos(), "dot import of math hides which functions are used")
		case imported == "math" && spec.Name != nil:
			mathName = spec.Name.Name
		case imported == "math":
			mathName = "math"
		case strings.Contains(strings.Split(imported, "/")[0], ".") &&
			!strings.HasPrefix(imported, module+"/") && !strings.HasPrefix(imported, "golang.org/x/"):
			fault(spec.Pos(), "%s: under spherE only the standard library and golang.org/x may be imported"+
				" (the rules for exact numbers do not reach other modules)", imported)
		}
	}
	if mathName == "" {
		return faults
	}

	ast.Inspect(file, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && x.Name == mathName {
			if name := selector.Sel.Name; !slices.Contains(exactMath, name) && !mathConstant.MatchString(name) {
				fault(selector.Pos(), "math.%s is not exact on every machine; allowed are %v and constants", name,
					exactMath)
			}
		}
		return true
	})
	return faults
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func lastLines(text []byte, n int) string {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
