package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// scale maps values from lo to hi to places from a to b. In a logarithmic one lo is above 0.
type scale struct {
	lo, hi  float64
	isLog   bool
	isWhole bool // ticks at whole numbers only
	a, b    float64
	texts   []string // of 0, 1, 2, ...; nil: numbers
}

func (s scale) at(v float64) float64 {
	lo, hi := s.lo, s.hi
	if s.isLog {
		v, lo, hi = math.Log10(v), math.Log10(lo), math.Log10(hi)
	}
	return s.a + (v-lo)/(hi-lo)*(s.b-s.a)
}

// span collects the range of values.
type span struct {
	lo, hi float64
	hasAny bool
}

func (s *span) add(v float64) {
	if !s.hasAny {
		s.lo, s.hi, s.hasAny = v, v, true
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
}

// scale makes an axis of the range, wider by a share of it on both sides. Without values it goes from 0 to 1
// (logarithmic: 1 to 10).
func (s span) scale(axis string, isLog bool, margin float64) (scale, error) {
	if !s.hasAny {
		if isLog {
			return scale{lo: 1, hi: 10, isLog: true}, nil
		}
		return scale{lo: 0, hi: 1}, nil
	}
	lo, hi := s.lo, s.hi
	if isLog {
		by := 2.0
		if hi/lo >= 1.0001 {
			by = math.Pow(10, (math.Log10(hi)-math.Log10(lo))*margin)
		}
		lo, hi = max(lo/by, tiny), min(hi*by, math.MaxFloat64)
		return scale{lo: lo, hi: hi, isLog: true}, nil
	}
	if math.IsInf(2*hi-2*lo, 0) {
		return scale{}, limitf("values from %g to %g are too far apart for the %s axis: make it logarithmic, or leave "+
			"some out", lo, hi, axis)
	}
	if size := max(math.Abs(lo), math.Abs(hi)); hi-lo <= max(1e-9*size, tiny) {
		if size < tiny { // zeros: counts, losses and fractions are not negative
			return scale{lo: 0, hi: 1}, nil
		}
		lo, hi = lo-0.1*size, hi+0.1*size
	} else {
		by := (hi - lo) * margin
		lo, hi = lo-by, hi+by
	}
	return scale{lo: lo, hi: hi}, nil
}

// tiny counts as 0: near the smallest numbers steps are coarse and logarithms wrong.
const tiny = 1e-290

// tick is a labelled place of an axis.
type tick struct {
	value float64
	label string
}

// ticks returns about n labelled places, at least two if a few more than n make that possible.
func (s scale) ticks(n int) []tick {
	if s.texts != nil {
		list := make([]tick, len(s.texts))
		for i, text := range s.texts {
			list[i] = tick{float64(i), text}
		}
		return list
	}
	n = max(n, 1)
	if s.isLog && s.hi/s.lo >= 8 {
		if list := s.decades(n); len(list) >= 2 {
			return list
		}
	}
	list := s.steps(n)
	for wanted := n + 1; len(list) < 2 && wanted <= n+3; wanted++ { // a single tick gives no scale
		list = s.steps(wanted)
	}
	return list
}

// steps are about n ticks, evenly spaced.
func (s scale) steps(n int) []tick {
	step := nice((s.hi - s.lo) / float64(n))
	if s.isWhole {
		step = max(step, 1)
	}
	if step < tiny {
		return []tick{{s.lo, number(s.lo)}}
	}
	first := math.Ceil(s.lo/step - 1e-9)
	var list []tick
	for i := 0; i < 100; i++ {
		v := (first + float64(i)) * step
		if v > s.hi+1e-9*step || math.IsInf(v, 0) {
			break
		}
		if s.isLog && v <= 0 {
			continue
		}
		list = append(list, tick{v, label(v, step)})
	}
	return list
}

// decades returns the powers of ten of a logarithmic axis: only some if they are many, also 2 and 5 times them if they
// are few.
func (s scale) decades(n int) []tick {
	lo, hi := int(math.Floor(math.Log10(s.lo))), int(math.Ceil(math.Log10(s.hi)))
	every := max(1, int(math.Ceil(float64(hi-lo)/float64(n))))
	factors := []float64{1}
	if 3*(hi-lo) <= n+2 {
		factors = []float64{1, 2, 5}
	}
	var list []tick
	for e := lo; e <= hi; e++ {
		if (e%every+every)%every != 0 {
			continue
		}
		for _, f := range factors {
			v, err := strconv.ParseFloat(fmt.Sprintf("%ge%d", f, e), 64)
			if err == nil && v >= s.lo*(1-1e-9) && v <= s.hi*(1+1e-9) && v > 0 {
				list = append(list, tick{v, label(v, v)})
			}
		}
	}
	return list
}

// nice returns the least of 1, 2 and 5 times a power of ten that is not below v.
func nice(v float64) float64 {
	e := math.Floor(math.Log10(v))
	for _, f := range []float64{1, 2, 5, 10, 20} {
		if w, err := strconv.ParseFloat(fmt.Sprintf("%ge%d", f, int(e)), 64); err == nil && w >= v*(1-1e-9) {
			return w
		}
	}
	return v
}

// label returns the text of a tick, with enough digits to differ from the next one, one step away.
func label(v, step float64) string {
	if v == 0 {
		return "0"
	}
	if size := math.Abs(v); size >= 1e7 || size < 1e-4 {
		digits := 1 + math.Floor(math.Log10(size)) - math.Floor(math.Log10(step)+1e-9)
		return power(strconv.FormatFloat(v, 'e', int(min(max(digits-1, 0), 15)), 64))
	}
	decimals := int(max(0, -math.Floor(math.Log10(step)+1e-9)))
	return quantity.CommasIn(strconv.FormatFloat(v, 'f', decimals, 64))
}

// power shortens the exponent of 1e+06 to 1e6.
func power(s string) string {
	mantissa, exponent, ok := strings.Cut(s, "e")
	if !ok {
		return s
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	sign := strings.TrimSuffix(exponent[:1], "+")
	return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}

// number returns a value of the data with four significant digits.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "infinite"
	case math.IsInf(v, -1):
		return "-infinite"
	case v == math.Trunc(v) && math.Abs(v) < 1e9:
		return quantity.CommasIn(strconv.FormatFloat(v, 'f', 0, 64))
	case math.Abs(v) >= 1e4 && math.Abs(v) < 1e9:
		return quantity.CommasIn(strconv.FormatFloat(v, 'f', 0, 64))
	}
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if strings.Contains(s, "e") {
		return power(s)
	}
	return quantity.CommasIn(s)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
