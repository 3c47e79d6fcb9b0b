package exact

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns e**x in 300-bit arithmetic, an independent reference.
func bigExp(x float64) *big.Float {
	newFloat := func() *big.Float { return new(big.Float).SetPrec(300) }
	r := newFloat().SetFloat64(x)
	halvings := 0
	for limit := newFloat().SetFloat64(1.0 / 1024); new(big.Float).Abs(r).Cmp(limit) > 0; halvings++ {
		r.Quo(r, newFloat().SetInt64(2))
	}
	sum, term := newFloat().SetInt64(1), newFloat().SetInt64(1)
	for k := int64(1); k < 40; k++ {
		term.Mul(term, r)
		term.Quo(term, newFloat().SetInt64(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	difference, _ := new(big.Float).Sub(new(big.Float).SetPrec(300).SetFloat64(got), want).Float64()
	return math.Abs(difference) / (math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w))
}

func TestExp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 4000 {
		x := random.Float64()*1400 - 700
		if random.IntN(2) == 0 {
			x = random.NormFloat64() * 3
		}
		worst = max(worst, ulps(Exp(x), bigExp(x)))
	}
	if worst > 1 {
		t.Errorf("Exp is off by %.2f units in the last place", worst)
	}
	for x, want := range map[float64]float64{
		0: 1, math.Inf(1): math.Inf(1), math.Inf(-1): 0, 710: math.Inf(1), -746: 0, -745.1: 5e-324,
	} {
		if got := Exp(x); got != want {
			t.Errorf("Exp(%g) = %g, want %g", x, got, want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp(NaN) is not NaN")
	}
}

func TestLogistic(t *testing.T) {
	t.Parallel()
	for x := -40.0; x < 40; x += 0.0137 {
		softplus, sigmoid := Logistic(x)
		if want := math.Log1p(math.Exp(-math.Abs(x))) + math.Max(x, 0); math.Abs(softplus-want) > 4e-16*math.Max(want,
			1e-300)*2 {
			t.Fatalf("softplus(%g) = %.17g, want %.17g", x, softplus, want)
		}
		if want := 1 / (1 + math.Exp(-x)); math.Abs(sigmoid-want) > 4e-16*want*2 {
			t.Fatalf("sigmoid(%g) = %.17g, want %.17g", x, sigmoid, want)
		}
	}
	if softplus, sigmoid := Logistic(math.NaN()); !math.IsNaN(softplus) || !math.IsNaN(sigmoid) {
		t.Error("Logistic(NaN) is a number")
	}
}

func TestSinCos(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 200000 {
		x := random.NormFloat64() * 10
		if random.IntN(8) == 0 {
			x *= 10000
		}
		s, c := SinCos(x)
		if math.Abs(s-math.Sin(x)) > 3e-16 || math.Abs(c-math.Cos(x)) > 3e-16 {
			t.Fatalf("SinCos(%.17g) = %.17g, %.17g; want %.17g, %.17g", x, s, c, math.Sin(x), math.Cos(x))
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e300} {
		if s, c := SinCos(x); !math.IsNaN(s) || !math.IsNaN(c) {
			t.Errorf("SinCos(%g) is a number", x)
		}
	}
}

func TestPower(t *testing.T) {
	t.Parallel()
	x := 0.999
	y := 1.0
	for n := range uint64(2000) {
		if math.Abs(Power(x, n)-y) > 1e-12*y {
			t.Fatalf("Power(%g, %d) = %g, want %g", x, n, Power(x, n), y)
		}
		y *= x
	}
}

// TestBits compares the bits of every function over fixed arguments with a digest. A change of the digest changes the
// result of every training run and raises sphere.NumericsVersion.
func TestBits(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	add := func(x float64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		h.Write(b[:])
	}
	for i := -5000; i < 5000; i++ {
		x := float64(i) / 64
		s, c := SinCos(x)
		p, q := Logistic(x)
		for _, y := range []float64{Exp(x), s, c, p, q} {
			add(y)
		}
	}
	const want = "ee63461ce2a2d191a21a5c0f9bf3a9003319ea75d6fc769fdbe18aada75ebc4b"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest of results %s, want %s", got, want)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 14))
	for range 200000 {
		x := math.Ldexp(1+r.Float64(), r.IntN(2000)-1000)
		if r.IntN(4) == 0 {
			x = 1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(50))
		}
		got, want := Log(x), math.Log(x)
		if math.Abs(got-want) > 4e-16+4.5e-16*math.Abs(want) {
			t.Fatalf("Log(%g) is %.17g, want %.17g", x, got, want)
		}
	}
	if Log(1) != 0 || !math.IsInf(Log(math.Inf(1)), 1) || Log(math.NaN()) == Log(math.NaN()) {
		t.Error("Log of 1, infinity or NaN is wrong")
	}
}
