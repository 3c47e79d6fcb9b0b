package draw

import (
	"math"
	"testing"
)

func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	var pair [8]uint32
	philoxPair(&pair, &c, &c, &k)
	return [4]uint32(pair[:4])
}

// The known answers are those that the authors of Philox publish with their reference implementation.
func TestPhiloxKnownAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{
			[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

func TestStreamsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for seed := range uint64(3) {
		for _, p := range []Purpose{Initial, Negative, Bootstrap} {
			for _, step := range []uint64{0, 1, 1 << 32} {
				for item := range uint32(3) {
					s := New(seed, p, step, item)
					w := s.Uint64()
					if before, ok := seen[w]; ok {
						t.Fatalf("seed %d purpose %d step %d item %d repeats %s", seed, p, step, item, before)
					}
					seen[w] = "an earlier stream"
				}
			}
		}
	}
}

func TestUint32nIsUniform(t *testing.T) {
	t.Parallel()
	s := New(1, Bootstrap, 0, 0)
	const n, draws = 7, 70000
	var count [n]int
	for range draws {
		count[s.Uint32n(n)]++
	}
	var chi float64
	for _, c := range count {
		d := float64(c) - draws/n
		chi += d * d / (draws / n)
	}
	if chi > 22.5 { // 6 degrees of freedom, p = .001
		t.Errorf("chi square %.1f over %v", chi, count)
	}
	if s.Uint32n(1) != 0 {
		t.Error("Uint32n(1) is not 0")
	}
}

func TestSymmetricStaysInBounds(t *testing.T) {
	t.Parallel()
	s := New(2, Initial, 0, 0)
	var sum float64
	lowest, highest := math.Inf(1), math.Inf(-1)
	for range 100000 {
		x := float64(s.Symmetric(0.5))
		sum += x
		lowest, highest = min(lowest, x), max(highest, x)
	}
	if lowest < -0.5 || highest >= 0.5 || lowest > -0.499 || highest < 0.499 || math.Abs(sum/100000) > 0.005 {
		t.Errorf("range [%g, %g], mean %g", lowest, highest, sum/100000)
	}
}
