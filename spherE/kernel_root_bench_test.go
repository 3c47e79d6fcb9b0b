package sphere

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// BenchmarkRoots compares, in turn and on one core, the kernels with roots or quotients by every way to compute them,
// and by the ways that are chosen here. x-instruction is the median of several hundred ratios of the time by
// instruction and that of a way; x-least is the ratio of the shortest times, which are those without other work on the
// core.
func BenchmarkRoots(b *testing.B) {
	const turns, least = 300, 20 * time.Microsecond
	for _, path := range []string{"avx512", "avx2"} {
		ways := []string{simd.Instruction, simd.Sequence, simd.Mixed, ""}
		var all []*simd.Kernels
		for _, way := range ways {
			k, err := simd.Select(path + "/" + way)
			if err != nil {
				b.Run(path, func(b *testing.B) { b.Skip(err) })
				break
			}
			if way == "" {
				b.Logf("%s: chosen are %s", path, k.Roots)
			}
			all = append(all, k)
		}
		if len(all) < len(ways) {
			continue
		}
		now := *all[0] // all ways work in the same memory: its place changes times
		for _, c := range kernelCases(&now, 200) {
			if c.roots == 0 && !strings.Contains(c.name, "push") {
				continue
			}
			calls := 1
			for start := time.Now(); ; calls *= 2 { // calls until one burst is long enough for the clock
				for range calls {
					c.call()
				}
				if d := time.Since(start); d >= least {
					break
				}
				start = time.Now()
			}
			times := make([][]float64, len(ways))
			for turn := range turns {
				for i := range ways {
					i = (i + turn) % len(ways)
					now = *all[i]
					c.call()
					start := time.Now()
					for range calls {
						c.call()
					}
					times[i] = append(times[i], float64(time.Since(start))/float64(calls*c.elements))
				}
			}
			for i, way := range ways[1:] {
				ratios := make([]float64, turns)
				for turn := range ratios {
					ratios[turn] = times[0][turn] / times[1+i][turn]
				}
				if way == "" {
					way = "chosen"
				}
				b.Run(fmt.Sprintf("%s/%s/%s", c.name, path, way), func(b *testing.B) {
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(middle(ratios), "x-instruction")
					b.ReportMetric(slices.Min(times[0])/slices.Min(times[1+i]), "x-least")
					b.ReportMetric(1/slices.Min(times[1+i]), "Gelements/s")
				})
			}
		}
	}
}
