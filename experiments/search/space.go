// Package search trains many configs: those that a sweep lists, or trials that a search draws from a space of configs,
// at random, evenly by a Sobol sequence, or near the good ones that were seen (TPE). It judges them by validations,
// here or as jobs of a queue.
package search

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/internal/quantity"
)

// Dimension is one key of a space: a list of values, or a range of numbers.
type Dimension struct {
	Key      string
	Values   []string // of a choice; nil for a range
	From, To float64  // of a range, both included
	Log      bool     // draw the logarithm evenly
	Step     float64  // distance of the values of a range from From, 0 for any number; not with Log
	Whole    bool     // whole numbers only
	// When names another choice of the space, with the values of it for which this dimension has a meaning. For others
	// the key is not drawn.
	When map[string][]string
}

// Space is a set of configs. Its dimensions are in the order of their keys.
type Space []Dimension

// Validate reports the first mistake.
func (s Space) Validate() error {
	if len(s) == 0 {
		return fmt.Errorf("the space has no key")
	}
	for _, d := range s {
		if err := d.validate(); err != nil {
			return fmt.Errorf("%s: %w", d.Key, err)
		}
		for _, other := range slices.Sorted(maps.Keys(d.When)) {
			i := slices.IndexFunc(s, func(o Dimension) bool { return o.Key == other })
			if i < 0 || s[i].Values == nil || other == d.Key {
				return fmt.Errorf("%s: when names %s, which is not a list of values of this space", d.Key, other)
			}
			if len(s[i].When) > 0 {
				return fmt.Errorf("%s: when names %s, which has a condition itself", d.Key, other)
			}
			for _, value := range d.When[other] {
				if !slices.Contains(s[i].Values, value) {
					return fmt.Errorf("%s: when names %s = %s, which is not in its list", d.Key, other, value)
				}
			}
		}
	}
	return nil
}

func (d Dimension) validate() error {
	switch {
	case d.Values != nil:
		for i, value := range d.Values {
			if slices.Contains(d.Values[:i], value) {
				return fmt.Errorf("the value %s is listed twice", value)
			}
		}
		return nil
	case !(d.From < d.To) || math.IsInf(d.From, 0) || math.IsInf(d.To, 0):
		return fmt.Errorf("from %v to %v is not a range: from must be below to", d.From, d.To)
	case d.Log && d.From <= 0:
		return fmt.Errorf("a range with scale: log begins above 0, not at %v", d.From)
	case d.Log && d.Step != 0:
		return fmt.Errorf("a range has a step or scale: log, not both")
	case d.Step < 0 || d.Step > d.To-d.From:
		return fmt.Errorf("the step %v does not fit into the range", d.Step)
	}
	return nil
}

// Size is the number of points, 0 if the space has a range of any numbers. Conditions may make some of them equal.
func (s Space) Size() int {
	n := 1
	for _, d := range s {
		if d.count() == 0 || n > math.MaxInt32/d.count() {
			return 0
		}
		n *= d.count()
	}
	return n
}

// count returns how many values a dimension has, 0 for any number.
func (d Dimension) count() int {
	switch {
	case d.Values != nil:
		return len(d.Values)
	case d.Step > 0:
		return int((d.To-d.From)/d.Step+1e-9) + 1
	case d.Whole && !d.Log:
		return int(d.To-d.From) + 1
	}
	return 0
}

// Point is the config at u, which has a number from 0 up to 1 for each dimension: key=value items in the order of the
// dimensions, without those that have no meaning there.
func (s Space) Point(u []float64) []string {
	values := map[string]string{}
	for i, d := range s {
		values[d.Key] = d.value(u[i])
	}
	var items []string
	for _, d := range s {
		if d.holds(values) {
			items = append(items, d.Key+"="+values[d.Key])
		}
	}
	return items
}

// holds reports whether the condition of a dimension is true.
func (d Dimension) holds(values map[string]string) bool {
	for key, wanted := range d.When {
		if !slices.Contains(wanted, values[key]) {
			return false
		}
	}
	return true
}

// digits is the number of significant digits of a drawn number: enough for any setting, and short to read.
const digits = 3

func (d Dimension) value(u float64) string {
	if n := d.count(); n > 0 {
		i := min(int(u*float64(n)), n-1)
		if d.Values != nil {
			return d.Values[i]
		}
		step := d.Step
		if step == 0 {
			step = 1
		}
		x := d.From + float64(i)*step
		if d.Whole {
			return whole(x)
		}
		return quantity.Exact(x)
	}
	x := d.From + u*(d.To-d.From)
	if d.Log {
		x = math.Exp(math.Log(d.From) + u*(math.Log(d.To)-math.Log(d.From)))
	}
	if d.Whole {
		return whole(math.Round(x))
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		panic(err) // a number that was just written
	}
	return quantity.Exact(min(max(rounded, d.From), d.To))
}

// whole writes a whole number without an exponent, which a config would refuse.
func whole(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Ends are the configs with which every value of a choice and both ends of a range can be tried, one key at a time. The
// last of the key=value items is that of the key; before it are those of its condition.
func (s Space) Ends() [][]string {
	var list [][]string
	for _, d := range s {
		var before []string
		for _, other := range slices.Sorted(maps.Keys(d.When)) {
			if values := d.When[other]; len(values) > 0 {
				before = append(before, other+"="+values[0])
			}
		}
		values := d.Values
		if values == nil {
			values = []string{d.value(0), d.value(math.Nextafter(1, 0))}
		}
		for _, value := range values {
			list = append(list, append(slices.Clip(before), d.Key+"="+value))
		}
	}
	return list
}
