package sphere

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/table"
)

// buildCeiling compiles the program that measures the machine.
func buildCeiling(b *testing.B) string {
	b.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return ""
	}
	program := filepath.Join(b.TempDir(), "ceiling")
	build := exec.Command(compiler, "-O2", "-march=native", "-o", program, filepath.Join("_c", "ceiling.c"),
		"-lpthread", "-lm")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	return program
}

func measureCeiling(b *testing.B, program, kind string, threads int) float64 {
	b.Helper()
	out, err := exec.Command(program, kind, strconv.Itoa(threads)).Output()
	expect.NoError(b, err)
	x, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	expect.NoError(b, err)
	return x
}

// BenchmarkCeiling measures how many square roots and fused multiply-adds one core computes, and the bandwidth of
// memory.
func BenchmarkCeiling(b *testing.B) {
	program := buildCeiling(b)
	if program == "" {
		b.Skip("the machine's ceilings need a C compiler called cc: make deps")
	}
	for _, c := range []struct {
		kind, unit string
		threads    int
	}{{"sqrt", "elements/s", 1}, {"fma", "elements/s", 1}, {"read", "B/s", 1}, {"read", "B/s", 2}, {"update", "B/s", 1},
		{"update", "B/s", 2}} {
		b.Run(fmt.Sprintf("%s/threads=%d", c.kind, c.threads), func(b *testing.B) {
			var sum float64
			for range b.N {
				sum += measureCeiling(b, program, c.kind, c.threads)
			}
			b.ReportMetric(sum/float64(b.N), c.unit)
		})
	}
}

// kernelCase is one inner loop on data of a given size.
type kernelCase struct {
	name     string
	elements int // that one call handles, padding not counted
	// What one element costs at least: square roots, additions and multiplications, bytes that are in no cache.
	roots, operations, bytes float64
	call                     func()
}

// kernelCases are for rows of d blocks. The rows are in a cache unless the name says memory.
func kernelCases(k *simd.Kernels, d int) []kernelCase {
	n := simd.Padded(d)
	const queries, rows, large = 32, 16, 14541 // as in evaluation; the entities of FB15k-237
	random := func(count int) []float32 {
		x := table.Make(count, 0)
		state := uint32(12345)
		for i := range x {
			state = state*1664525 + 1013904223
			x[i] = float32(int32(state)) * 0x1p-31
		}
		return x
	}
	q2, few2, all2 := random(queries*2*n), random(rows*2*n), random(large*2*n)
	q3, few3 := random(queries*3*n), random(rows*3*n)
	out, distances := make([]float32, queries*rows), make([]float32, queries*large)
	a, c, g, turn := random(2*n), random(2*n), make([]float32, 2*n), random(2*n)
	raw, plane := random(n), make([]float32, n)
	numbers := make([]int32, 26)
	for i := range numbers {
		numbers[i] = int32(i * 7919 % large)
	}
	near := make([]int32, len(numbers)) // rows that stay in a cache
	for i := range near {
		near[i] = int32(i)
	}
	length, norms, weights := make([]float32, len(numbers)*n), make([]float32, len(numbers)), random(len(numbers))
	pulls := make([]uint64, len(numbers))
	for i := range pulls {
		pulls[i] = simd.Pull(int32(i), weights[i])
	}
	m, v := make([]float32, len(all2)), make([]float32, len(all2))
	adam := &simd.Adam{Beta1: .9, OneMinusBeta1: .1, Beta2: .999, OneMinusBeta2: .001, Rate: 1e-9, InverseRoot: 1,
		Epsilon: 1e-8}
	adamRow := make([]float32, 2*n)
	copy(adamRow, a)
	reals, soft, sigm := make([]float64, 26), make([]float64, 26), make([]float64, 26)
	for i := range reals {
		reals[i] = float64(a[i]) * 8
	}
	return []kernelCase{
		{"rows-2D", queries * rows * d, 1, 4, 0, func() { k.Block2.Rows(out, rows, q2, few2, 2*n) }},
		{"rows-2D-memory", queries * large * d, 1, 4, 8. / queries, func() {
			for e := 0; e < large; e += rows {
				end := min(e+rows, large)
				k.Block2.Rows(distances[e:], large, q2, all2[e*2*n:end*2*n], 2*n)
			}
		}},
		{"one-query-2D-memory", large * d, 1, 4, 8, func() { k.Block2.Rows(distances, large, q2[:2*n], all2, 2*n) }},
		{"rows-3D", queries * rows * d, 1, 6, 0, func() { k.Block3.Rows(out, rows, q3, few3, 3*n) }},
		{"rows-whole", queries * rows * 2 * d, 0, 2, 0, func() { k.Whole.Rows(out, rows, q2, few2, 2*n) }},
		{"gather-2D", len(near) * d, 1, 4, 0, func() { k.Block2.Gather(norms, length, a, all2, near) }},
		{"gather-2D-memory", len(numbers) * d, 1, 4, 8, func() {
			for i := range numbers { // other rows each time, as drawn
				numbers[i] = int32((int(numbers[i]) + 4261) % large)
			}
			k.Block2.Gather(norms, length, a, all2, numbers)
		}},
		{"gather-push-2D", len(near) * d, 0, 4, 0, func() { k.Block2.GatherPush(g, a, all2, near, near, weights, length) }},
		{"own-push-2D", len(pulls) * d, 1, 6, 0, func() { k.Block2.OwnPush(g, a, all2, pulls) }},
		{"rotate-2D", d, 0, 4, 0, func() { k.Rotate2(c, a, turn) }},
		{"unrotate-2D", d, 0, 4, 0, func() { k.Unrotate2(c, a, turn) }},
		{"phase-2D", d, 0, 5, 0, func() { k.Phase2(plane, a, c, few2, few2[2*n:]) }},
		{"turn-2D", d, 0, 0, 0, func() { k.Turn2(turn, raw, 3) }},
		{"add", 2 * d, 0, 1, 0, func() { k.Add(g, a) }},
		{"adam", 2 * d, 1, 8, 0, func() { k.Adam(adamRow, m[:2*n], v[:2*n], c, adam, 0) }},
		{"adam-memory", large * 2 * d, 1, 8, 24, func() {
			for e := range large {
				at := e * 2 * n
				k.Adam(all2[at:][:2*n], m[at:][:2*n], v[at:][:2*n], c, adam, 4*n)
			}
		}},
		{"exp", len(reals), 0, 0, 0, func() { k.Exp(soft, reals) }},
		{"logistic", len(reals), 0, 0, 0, func() { k.Logistic(soft, sigm, reals) }},
	}
}

// BenchmarkKernel measures every inner loop on one core, in the units of BenchmarkCeiling: square roots, additions and
// multiplications, and bytes from memory per second. Padding takes time but is not counted.
func BenchmarkKernel(b *testing.B) {
	for _, d := range []int{200, 1024} {
		for _, path := range simd.Paths() {
			for _, c := range kernelCases(path, d) {
				if d != 200 && !strings.HasPrefix(c.name, "rows") {
					continue
				}
				b.Run(fmt.Sprintf("%s/D=%d/%s", c.name, d, path.Name), func(b *testing.B) {
					for b.Loop() {
						c.call()
					}
					rate := float64(c.elements) * float64(b.N) / b.Elapsed().Seconds()
					b.ReportMetric(rate, "elements/s")
					for unit, each := range map[string]float64{"roots/s": c.roots, "operations/s": c.operations,
						"B/s": c.bytes} {
						if each > 0 {
							b.ReportMetric(rate*each, unit)
						}
					}
				})
			}
		}
	}
}
