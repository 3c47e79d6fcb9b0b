package simd

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/spherelab/spherelab/internal/expect"
)

// sequence has the sequences of one path as functions of their own.
type sequence struct {
	name      string
	lacks     bool
	roots     func(root, x []float32)
	quotients func(root, quotient, w, x []float32) // w / sqrt(x)
	over      func(quotient, w, x []float32)       // w / x
}

var sequences = []sequence{
	{"avx512", !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512DQ || !cpu.X86.HasAVX512VL, rootsAVX512Sequence,
		quotientsAVX512Sequence, overAVX512Sequence},
	{"avx2", !cpu.X86.HasAVX2 || !cpu.X86.HasFMA, rootsAVX2Sequence, quotientsAVX2Sequence, overAVX2Sequence},
}

func eachSequence(t *testing.T, f func(t *testing.T, s sequence)) {
	for _, s := range sequences {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if s.lacks {
				t.Skipf("nothing to compare: the processor lacks a feature of path %s", s.name)
			}
			f(t, s)
		})
	}
}

// rootBatch is how many numbers one call of a sequence gets in these tests.
const rootBatch = 1 << 12

// checkRoots compares the roots of x.
func (s sequence) checkRoots(t *testing.T, x []float32) {
	t.Helper()
	var root [rootBatch]float32
	for len(x) > 0 {
		n := min(len(x), rootBatch)
		s.roots(root[:n], x[:n])
		for i, x := range x[:n] {
			if want := sqrt(x); !same32(root[i], want) {
				t.Fatalf("%s: root of %g (%08x) is %08x, want %08x", s.name, x, math.Float32bits(x),
					math.Float32bits(root[i]), math.Float32bits(want))
			}
		}
		x = x[n:]
	}
}

// TestRootsOfAllFloats compares the root of every float32 with that of Go, which is the instruction for one number. A
// short test takes all exponents and signs with some mantissas: the first, the last, middle and random ones.
func TestRootsOfAllFloats(t *testing.T) {
	t.Parallel()
	eachSequence(t, func(t *testing.T, s sequence) {
		if os.Getenv("SPHERELAB_SOAK") == "1" {
			var group sync.WaitGroup
			const parts = 4
			for part := range uint64(parts) {
				group.Go(func() {
					x := make([]float32, rootBatch)
					for from := part << 30; from < (part+1)<<30; from += rootBatch {
						for i := range x {
							x[i] = math.Float32frombits(uint32(from) + uint32(i))
						}
						s.checkRoots(t, x)
						if t.Failed() {
							return
						}
					}
				})
			}
			group.Wait()
			return
		}
		r := rand.New(rand.NewPCG(3, 1))
		var x []float32
		for high := range uint32(512) {
			for i := range uint32(256) {
				middle, rootOfTwo := 1<<22-128+i, 0x3504f3-128+i
				for _, mantissa := range []uint32{i, 1<<23 - 1 - i, middle, rootOfTwo, r.Uint32() >> 9} {
					x = append(x, math.Float32frombits(high<<23|mantissa))
				}
			}
		}
		s.checkRoots(t, x)
	})
}

// hardRoots returns the numbers in [2^46, 2^48) whose roots are nearest to the middle of two neighbouring floats. The
// middles are M/2 for odd M below 2^25, and the numbers 4X for integers. The relative distance is at most 2^-45.
func hardRoots() (hard []float32) {
	const near = 64 // half of 2^-45 times a square of at most 2^50, twice
	for _, shift := range []uint{25, 26} {
		// X 2^shift near M^2, X an integer of 24 bits.
		for m := uint64(1<<24 + 1); m < 1<<25; m += 2 {
			square := m * m
			rest := square & (1<<shift - 1)
			x := square >> shift
			if rest > 1<<(shift-1) {
				rest = 1<<shift - rest
				x++
			}
			if rest <= near && x >= 1<<23 && x <= 1<<24 {
				hard = append(hard, float32(x)*float32(uint64(1)<<(shift-2)))
			}
		}
	}
	return hard
}

// TestHardRoots compares the roots that are nearest to the middle of two floats, in every binade, and shows that the
// sequences give them from any estimate that processors may have. Intel's manual allows relative errors of 2^-14 for
// rsqrt14 and 1.5*2^-12 for rsqrtps. All other roots follow from the argument in root_amd64.go.
func TestHardRoots(t *testing.T) {
	t.Parallel()
	hard := hardRoots()
	if len(hard) < 20 {
		t.Fatalf("only %d hard roots", len(hard))
	}
	eachSequence(t, func(t *testing.T, s sequence) {
		for scale := -60; scale < 40; scale++ {
			x := make([]float32, (len(hard)+Lanes-1)/Lanes*Lanes)
			for i, h := range hard {
				x[i] = float32(math.Ldexp(float64(h), 2*scale))
			}
			s.checkRoots(t, x)
		}
	})
	for _, e := range []struct {
		name  string
		error float64
		first bool
	}{{"avx512", 0x1p-14, false}, {"avx2", 1.5 * 0x1p-12, true}} {
		tried, worse := 0, 0
		for _, x := range hard {
			exactly := 1 / math.Sqrt(float64(x))
			last := float32(exactly * (1 + e.error))
			for y := float32(exactly * (1 - e.error)); y <= last; y = math.Nextafter32(y, 1) {
				tried++
				got, without := rootFrom(x, y, e.first)
				if want := sqrt(x); got != want {
					t.Fatalf("%s: root of %g from the estimate %g is %g, want %g", e.name, x, y, got, want)
				}
				if without != got {
					worse++
				}
			}
		}
		if worse == 0 {
			t.Errorf("%s: the correction changes nothing: the test sees too little", e.name)
		}
		t.Logf("%s: %d hard roots, %d estimates; the correction changed %d", e.name, len(hard), tried, worse)
	}
}

// rootFrom is the sequence in plain Go, from an estimate of 1/sqrt(x), which a first step may improve. without lacks
// the correction.
func rootFrom(x, y float32, first bool) (root, without float32) {
	root, half := x*y, y/2
	if first {
		half = fused(half, fused(-root, half, .5), half)
		root = (x + x) * half
	}
	rest := fused(-root, half, .5)
	without, half = fused(root, rest, root), fused(half, rest, half)
	return fused(fused(-without, without, x), half, without), without
}

// fused returns a*b + c, rounded once: the sum is first rounded to odd in float64, which has more than two bits to
// spare.
func fused(a, b, c float32) float32 {
	product, addend := float64(a)*float64(b), float64(c) // the product is exact
	sum := product + addend
	part := sum - product
	lost := (product - (sum - part)) + (addend - part)
	if lost != 0 && math.Float64bits(sum)&1 == 0 {
		sum = math.Nextafter(sum, math.Copysign(math.Inf(1), lost))
	}
	return float32(sum)
}

// checkQuotients compares w / sqrt(x), and w / x.
func (s sequence) checkQuotients(t *testing.T, w, x []float32) {
	t.Helper()
	var root, quotient, over [rootBatch]float32
	for len(x) > 0 {
		n := min(len(x), rootBatch)
		s.quotients(root[:n], quotient[:n], w[:n], x[:n])
		s.over(over[:n], w[:n], x[:n])
		for i, x := range x[:n] {
			length := sqrt(x)
			if want := w[i] / length; !same32(quotient[i], want) || !same32(root[i], length) {
				t.Fatalf("%s: %g/sqrt(%g) (%08x, %08x) is %08x, want %08x", s.name, w[i], x, math.Float32bits(w[i]),
					math.Float32bits(x), math.Float32bits(quotient[i]), math.Float32bits(want))
			}
			if want := w[i] / x; !same32(over[i], want) {
				t.Fatalf("%s: %g/%g (%08x, %08x) is %08x, want %08x", s.name, w[i], x, math.Float32bits(w[i]),
					math.Float32bits(x), math.Float32bits(over[i]), math.Float32bits(want))
			}
		}
		w, x = w[n:], x[n:]
	}
}

// TestRandomQuotients compares quotients of random weights in the range of the sequences, by roots of random numbers of
// every kind.
func TestRandomQuotients(t *testing.T) {
	t.Parallel()
	batches := 200
	if os.Getenv("SPHERELAB_SOAK") == "1" {
		batches = 300_000_000 / rootBatch
	}
	eachSequence(t, func(t *testing.T, s sequence) {
		r := rand.New(rand.NewPCG(3, 2))
		w, x := make([]float32, rootBatch), make([]float32, rootBatch)
		for batch := range batches {
			for i := range x {
				bits := r.Uint64()
				mantissa, exponent := uint32(bits)&(1<<23-1), 127-60+uint32(bits>>32)%120
				w[i] = math.Float32frombits(exponent<<23 | mantissa | uint32(bits>>63)<<31)
				x[i] = math.Float32frombits(r.Uint32() & math.MaxInt32)
				switch {
				case batch%4 < 2: // near 1, so that most vectors have no lane for the detour
					x[i] = math.Float32frombits(r.Uint32()>>4 + 0x38000000)
				case batch%4 == 2 && i%64 > 0:
					x[i] = math.Float32frombits(r.Uint32()>>7 + 0x3f000000)
				}
			}
			s.checkQuotients(t, w, x)
		}
	})
}

// TestHardQuotients shows that the sequence gives every quotient whose value is nearest to the middle of two
// floats: quotients of integers A and B of 24 bits with |A 2^s - M B| small. Each is computed from both
// reciprocals that the Newton step may return. All others follow from the argument in root_amd64.go. A short test takes
// every 101st B and those next to powers of two.
func TestHardQuotients(t *testing.T) {
	t.Parallel()
	stride := uint64(101)
	if os.Getenv("SPHERELAB_SOAK") == "1" {
		stride = 1
	}
	tried, worse := 0, 0
	check := func(b uint64) {
		y := float64(1) / float64(b) // good enough to tell the sides of a middle: none is nearer than 2^-49 to one
		candidates := []float32{float32(y)}
		above := math.Nextafter32(float32(y), 1)
		if middle := (float64(above) + float64(float32(y))) / 2; middle > y && middle-y <= 0x1p-43*y {
			candidates = append(candidates, above)
		}
		zeros := uint(0)
		for b>>zeros&1 == 0 {
			zeros++
		}
		odd := b >> zeros
		inverse := odd // of odd modulo 2^64, by Newton's method
		for range 6 {
			inverse *= 2 - odd*inverse
		}
		for _, shift := range []uint{24, 25} {
			for rest := int64(-8); rest <= 8; rest++ {
				// A 2^shift - M B = rest. A power of two in B must divide rest.
				if rest == 0 || rest&(1<<zeros-1) != 0 {
					continue
				}
				modulus := uint64(1) << (shift - zeros)
				for m := (-uint64(rest>>zeros) * inverse) & (modulus - 1); m < 1<<25; m += modulus {
					if m < 1<<24 || m&1 == 0 {
						continue
					}
					a := (m*b + uint64(rest)) >> shift
					if a < 1<<23 || a >= 1<<24 {
						continue
					}
					for _, y := range candidates {
						tried++
						got, first := quotientFrom(float32(a), float32(b), y)
						if want := float32(a) / float32(b); got != want {
							t.Fatalf("%d/%d from the reciprocal %g is %g, want %g", a, b, y, got, want)
						}
						if first != got {
							worse++
						}
					}
				}
			}
		}
	}
	for b := uint64(1 << 23); b < 1<<24; b += stride {
		check(b)
	}
	for bit := uint(0); bit < 24; bit++ {
		for near := range uint64(64) {
			for _, b := range []uint64{1<<23 | 1<<bit + near, 1<<24 - 1<<bit - near} {
				if b >= 1<<23 && b < 1<<24 {
					check(b)
				}
			}
		}
	}
	if tried < 1000 || worse == 0 {
		t.Errorf("%d quotients tried, and a correction changed %d: the test sees too little", tried, worse)
	}
	t.Logf("%d hard quotients; the correction changed %d", tried, worse)
}

// quotientFrom is the sequence in plain Go, from the reciprocal y of b. first is without the correction.
func quotientFrom(a, b, y float32) (quotient, first float32) {
	first = a * y
	return fused(fused(-first, b, a), y, first), first
}

// TestPathsUseTheirRegisters holds that the AVX2 kernels need nothing of AVX-512: its assembler would let them.
func TestPathsUseTheirRegisters(t *testing.T) {
	t.Parallel()
	foreign := regexp.MustCompile(`\b(?:[XY](?:1[6-9]|2[0-9]|3[01])|Z[0-9]+|K[0-7])\b`)
	files, err := filepath.Glob("avx2_*.s")
	if err != nil || len(files) < 3 {
		t.Fatalf("files %q: %v", files, err)
	}
	for _, name := range files {
		code, err := os.ReadFile(name)
		expect.NoError(t, err)
		if found := foreign.Find(code); found != nil {
			t.Errorf("%s uses register %s", name, found)
		}
	}
	if !foreign.MatchString("VMOVUPS (AX), Y17") || foreign.MatchString("VMOVUPS (AX), Y7") {
		t.Error("the pattern does not find registers")
	}
}
