package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

var exampleSpace = Space{
	{Key: "dimension", From: 16, To: 128, Step: 16, Whole: true},
	{Key: "gamma", Values: []string{"3", "6", "9"}},
	{Key: "rate", From: 1e-4, To: 1e-1, Log: true},
	{Key: "temperature", From: .5, To: 2, When: map[string][]string{"gamma": {"6", "9"}}},
}

func TestPoint(t *testing.T) {
	expect.NoError(t, exampleSpace.Validate())
	last := math.Nextafter(1, 0)
	for _, c := range []struct {
		u    []float64
		want string
	}{
		{[]float64{0, 0, 0, 0}, "dimension=16 gamma=3 rate=0.0001"}, // temperature has no meaning
		{[]float64{last, last, last, last}, "dimension=128 gamma=9 rate=0.1 temperature=2"},
		{[]float64{.5, .5, .5, .5}, "dimension=80 gamma=6 rate=0.00316 temperature=1.25"},
	} {
		if got := strings.Join(exampleSpace.Point(c.u), " "); got != c.want {
			t.Errorf("at %v: %s, want %s", c.u, got, c.want)
		}
	}
	if got := fmt.Sprint(exampleSpace.Ends()); got != "[[dimension=16] [dimension=128] [gamma=3] [gamma=6] [gamma=9] "+
		"[rate=0.0001] [rate=0.1] [gamma=6 temperature=0.5] [gamma=6 temperature=2]]" {
		t.Errorf("ends %s", got)
	}
}

func TestSpaceRefuses(t *testing.T) {
	choice := Dimension{Key: "gamma", Values: []string{"3", "6"}}
	for want, s := range map[string]Space{
		"has no key":             {},
		"listed twice":           {{Key: "a", Values: []string{"1", "1"}}},
		"from must be below to":  {{Key: "a", From: 2, To: 2}},
		"begins above 0":         {{Key: "a", From: 0, To: 2, Log: true}},
		"a step or scale: log":   {{Key: "a", From: 1, To: 2, Log: true, Step: .1}},
		"does not fit":           {{Key: "a", From: 1, To: 2, Step: 3}},
		"not a list of values":   {choice, {Key: "a", From: 1, To: 2, When: map[string][]string{"b": {"3"}}}},
		"which is not in its":    {choice, {Key: "a", From: 1, To: 2, When: map[string][]string{"gamma": {"4"}}}},
		"has a condition itself": {choice, {Key: "a", Values: []string{"1"}, When: map[string][]string{"gamma": {"3"}}}, {Key: "b", From: 1, To: 2, When: map[string][]string{"a": {"1"}}}},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", s, err, want)
		}
	}
}

func method(t *testing.T, name string, s Space, seed uint64) drawer {
	t.Helper()
	m, err := newMethod(name, s, seed)
	expect.NoError(t, err)
	return m
}

func TestGridHasEveryPointOnce(t *testing.T) {
	s := Space{{Key: "a", Values: []string{"x", "y"}}, {Key: "b", From: 1, To: 3, Whole: true}}
	if s.Size() != 6 {
		t.Fatalf("size %d", s.Size())
	}
	m := method(t, "grid", s, 0)
	var got []string
	for i := range 6 {
		got = append(got, strings.Join(s.Point(m.Draw(i, nil)), " "))
	}
	want := []string{"a=x b=1", "a=x b=2", "a=x b=3", "a=y b=1", "a=y b=2", "a=y b=3"}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if _, err := newMethod("grid", exampleSpace, 0); err == nil {
		t.Error("a grid of any numbers")
	}
}

// TestSobolIsEven: in every dimension each of the first 2^k points is in an interval of its own of length 2^-k, with
// any shift; in the first two dimensions together, in a box of its own of every shape of area 2^-k.
func TestSobolIsEven(t *testing.T) {
	const k = 6
	for _, seed := range []uint64{0, 7} {
		s := newSobol(sobolDimensions, seed)
		var points [][]float64
		for i := range 1 << k {
			points = append(points, s.Draw(i, nil))
		}
		for d := range sobolDimensions {
			in := map[int]bool{}
			for _, u := range points {
				if u[d] < 0 || u[d] >= 1 {
					t.Fatalf("dimension %d has %v", d, u[d])
				}
				in[int(u[d]*(1<<k))] = true
			}
			if len(in) != 1<<k {
				t.Errorf("seed %d, dimension %d: %d of %d intervals", seed, d, len(in), 1<<k)
			}
		}
		for a := range k + 1 {
			in := map[[2]int]bool{}
			for _, u := range points {
				in[[2]int{int(u[0] * float64(int(1)<<a)), int(u[1] * float64(int(1)<<(k-a)))}] = true
			}
			if len(in) != 1<<k {
				t.Errorf("seed %d: %d of %d boxes of shape %d", seed, len(in), 1<<k, a)
			}
		}
	}
}

// TestDensity: a density sums to 1, and what it draws has its shares.
func TestDensity(t *testing.T) {
	for name, d := range map[string]*density{
		"values": newDensity(4, []float64{.1, .15, .9}),
		"range":  newDensity(0, []float64{.02, .5, .55, .97}),
		"empty":  newDensity(0, nil),
	} {
		const n = 4000
		var sum, below float64
		for i := range n {
			x := (float64(i) + .5) / n
			sum += d.at(x) / n
			if x < .5 {
				below += d.at(x) / n
			}
		}
		if math.Abs(sum-1) > 1e-3 {
			t.Errorf("%s: the density sums to %v", name, sum)
		}
		drawn, source := 0.0, stream(1, 1)
		for range n {
			if d.draw(source) < .5 {
				drawn += 1. / n
			}
		}
		if math.Abs(drawn-below) > .03 {
			t.Errorf("%s: %v of the draws are below .5, the density has %v", name, drawn, below)
		}
	}
}

// TestMethodsFindTheHill: TPE gets nearer to the top of a hill than random points do, for every one of ten seeds taken
// together, and a point depends on index and trials alone.
func TestMethodsFindTheHill(t *testing.T) {
	s := Space{{Key: "a", From: 0, To: 1}, {Key: "b", From: 0, To: 1}, {Key: "c", Values: []string{"1", "2", "3"}}}
	height := func(u []float64) float64 {
		h := -(u[0]-.3)*(u[0]-.3) - (u[1]-.7)*(u[1]-.7)
		if s[2].value(u[2]) != "2" {
			h -= .3
		}
		return h
	}
	best := map[string]float64{}
	for seed := range uint64(10) {
		for _, name := range []string{"random", "sobol", "tpe"} {
			m, top := method(t, name, s, seed), math.Inf(-1)
			var seen []seenPoint
			for i := range 40 {
				u := m.Draw(i, seen)
				if again := method(t, name, s, seed).Draw(i, seen); !slices.Equal(u, again) {
					t.Fatalf("%s, point %d: %v, then %v", name, i, u, again)
				}
				score := height(u)
				if i == 7 {
					score = math.NaN() // a failed trial
				} else {
					top = max(top, score)
				}
				seen = append(seen, seenPoint{u, score})
			}
			best[name] += top / 10
		}
	}
	if best["tpe"] < best["random"]/2 || best["tpe"] < best["sobol"]/2 {
		t.Errorf("mean of the best heights: %v", best)
	}
}

func TestPromote(t *testing.T) {
	scores := []float64{.3, math.NaN(), .9, .3, .5, .1, .2}
	got := fmt.Sprint(promote(scores, 3), promote(scores, 2), promote(scores[:2], 3), promote(scores[1:2], 3))
	if got != "[2 4] [2 4 0] [0] []" {
		t.Errorf("promoted %s", got)
	}
	if got := fmt.Sprint(ranking(scores)); got != "[2 4 0 3 6 5 1]" {
		t.Errorf("ranked %s", got)
	}
}
