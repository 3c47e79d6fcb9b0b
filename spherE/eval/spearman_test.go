package eval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// spearmanTwin counts every rank by comparing all pairs, and sums in rational numbers.
func spearmanTwin(x, y []float64) float64 {
	ranks := func(values []float64) []*big.Rat {
		list := make([]*big.Rat, len(values))
		for i, v := range values {
			below, equal := int64(0), int64(0)
			for _, w := range values {
				if w < v {
					below++
				} else if w == v {
					equal++
				}
			}
			list[i] = big.NewRat(2*below+equal+1, 2)
		}
		return list
	}
	moment := func(a, b []*big.Rat) *big.Rat {
		n := big.NewRat(int64(len(a)), 1)
		ab, sumA, sumB := new(big.Rat), new(big.Rat), new(big.Rat)
		for i := range a {
			ab.Add(ab, new(big.Rat).Mul(a[i], b[i]))
			sumA.Add(sumA, a[i])
			sumB.Add(sumB, b[i])
		}
		return ab.Sub(ab.Mul(ab, n), sumA.Mul(sumA, sumB))
	}
	a, b := ranks(x), ranks(y)
	product := new(big.Rat).Mul(moment(a, a), moment(b, b))
	if product.Sign() == 0 {
		return math.NaN()
	}
	top, _ := moment(a, b).Float64()
	bottom, _ := product.Float64()
	return top / math.Sqrt(bottom)
}

func TestSpearmanIsThatOfTheDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, levels := 2+r.IntN(60), 1+r.IntN(40)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(levels)) // with ties
			y[i] = x[i]*r.Float64() - float64(r.IntN(3))
		}
		got, want := Spearman(x, y), spearmanTwin(x, y)
		if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-15 {
			t.Fatalf("%v and %v: %v, want %v", x, y, got, want)
		}
	}
}

func TestSpearmanOfKnownLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 1000}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, -9}, -1},
		{[]float64{1, 2, 2, 3}, []float64{1, 2, 3, 4}, 4.5 / math.Sqrt(4.5*5)},
		{[]float64{1, 1}, []float64{1, 2}, math.NaN()},
		{[]float64{1}, []float64{2}, math.NaN()},
		{nil, nil, math.NaN()},
	} {
		if got := Spearman(c.x, c.y); math.Abs(got-c.want) > 1e-15 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v and %v: %v, want %v", c.x, c.y, got, c.want)
		}
	}
	n := 50_000 // more than WN18RR has entities: nothing overflows
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = float64(i), float64(i)
	}
	if got := Spearman(x, y); got != 1 {
		t.Errorf("%d equal ranks: %v", n, got)
	}
}
