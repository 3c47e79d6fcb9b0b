package sphere

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// BenchmarkState saves the state of a training of SpherE-2D on FB15k-237, and resumes from it. Both compute the digests
// of the file. Saving waits until the file is on the disk; resuming makes a trainer for a graph in memory.
func BenchmarkState(b *testing.B) {
	g := realGraph(b, shapeFB15k.graph)
	t := newBenchTrainer(b, g, shapeFB15k.settings(SpherE2D), shapeFB15k.training(0, ""))
	path := filepath.Join(b.TempDir(), "state.safetensors")
	save := func(b *testing.B) {
		expect.NoError(b, t.Save(path))
	}
	save(b)
	info, err := os.Stat(path)
	expect.NoError(b, err)
	b.Run("save", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			save(b)
		}
	})
	b.Run("resume", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			again, err := ResumeTrainer(path, g, shapeFB15k.training(0, ""))
			expect.NoError(b, err)
			again.Close()
		}
	})
}
