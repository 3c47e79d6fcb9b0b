package command

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// value is a flag whose text is parsed into a T together with the command line, so that a command starts with valid
// values.
type value[T any] struct {
	to   *T
	text string // as typed, or the default
	kind string // shown in help, by pflag's names
	read func(text string) (T, error)
}

func (v *value[T]) String() string { return v.text }

// Type implements pflag.Value.
func (v *value[T]) Type() string { return v.kind }

// Set implements pflag.Value. Its error is a refusal.
func (v *value[T]) Set(text string) error {
	x, err := v.read(text)
	if err != nil {
		return refusal{err}
	}
	*v.to, v.text = x, text
	return nil
}

// refusal is the error for a value, in this program's words.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// mustBe returns an error with what the value of a flag must be.
type mustBe string

func (m mustBe) Error() string { return "must be " + string(m) }

// choice returns a flag whose value is one of the words. values[i] is the value of words[i]. usual is the default, or
// "" if there is none.
func choice[T any](to *T, usual string, words []string, values []T) *value[T] {
	read := func(text string) (T, error) {
		var none T
		at := slices.Index(words, text)
		if usual == "" && text == "" {
			return none, nil // as without the flag
		}
		if at < 0 {
			return none, mustBe("one of " + strings.Join(words, ", "))
		}
		return values[at], nil
	}
	if usual != "" {
		*to = values[slices.Index(words, usual)]
	}
	return &value[T]{to, usual, "string", read}
}

// addFormatFlag adds --format, whose default is text unless another one is named. formats nil means all formats of a
// grid.
func addFormatFlag(cmd *cobra.Command, format *string, formats []string) {
	if formats == nil {
		formats = results.Formats
	}
	cmd.Flags().Var(choice(format, "text", formats, formats), "format",
		fmt.Sprintf("output format: %v", formats))
}

// textAndJSON are the formats of commands that do not write a table, withCSV those of commands that have rows
// nevertheless.
var (
	textAndJSON = []string{"text", "json"}
	withCSV     = []string{"text", "json", "csv"}
)

// criterionValue returns a flag for a criterion. Without the flag the value is "".
func criterionValue(to *sphere.Criterion) *value[sphere.Criterion] {
	return choice(to, "", words(sphere.Criteria()), sphere.Criteria())
}

// criteria returns the names of all criteria.
func criteria() string { return strings.Join(words(sphere.Criteria()), ", ") }

// words returns values of a string type as strings.
func words[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// sidesValue returns a flag for which queries are asked, by default both.
func sidesValue(to *[]kg.Side) *value[[]kg.Side] {
	head, tail := kg.HeadSide, kg.TailSide
	return choice(to, "both", []string{head.String(), tail.String(), "both"},
		[][]kg.Side{{head}, {tail}, nil})
}

// splitValue returns a flag for the split to evaluate: true means the validation facts, false the test facts.
func splitValue(to *bool) *value[bool] {
	return choice(to, kg.Test.String(), []string{kg.Test.String(), kg.Valid.String()}, []bool{false, true})
}

// onlyValue returns a flag that is set by one word.
func onlyValue(to *bool, word string) *value[bool] {
	return choice(to, "", []string{word}, []bool{true})
}

// statuses are the statuses that a run can have.
var statuses = []tracker.Status{tracker.Running, tracker.Finished, tracker.Failed, tracker.Killed}

// statusWords returns the statuses as people write them.
func statusWords() []string {
	list := words(statuses)
	for i, word := range list {
		list[i] = strings.ToLower(word)
	}
	return list
}

// statusValue returns a flag for a status in upper or lower case. Without the flag the value is "".
func statusValue(to *tracker.Status) *value[tracker.Status] {
	v := choice(to, "", statusWords(), statuses)
	read := v.read
	v.read = func(text string) (tracker.Status, error) { return read(strings.ToLower(text)) }
	return v
}

// cutValue returns a flag for the name of a cut that answers can have.
func cutValue(to *string) *value[string] {
	return &value[string]{to, "", "string", func(name string) (string, error) {
		if name == "" {
			return "", nil // as without the flag
		}
		_, err := answer.ParseCut(name)
		return name, err
	}}
}

// measuredCut returns a flag for the name of a cut that an evaluation can measure. Unlike a cut of answers it may know
// the true answers.
func measuredCut(to *string) *value[string] {
	return &value[string]{to, "", "string", func(name string) (string, error) {
		if _, known := eval.ParseCut(name); known || name == "" {
			return name, nil
		}
		_, err := answer.ParseCut(name) // whose error suggests the nearest name
		return name, err
	}}
}

// promise parses a share and returns the cut that promises it.
func promise[C eval.Limited](cut func(float64) (C, bool)) func(string) (eval.Limited, error) {
	return func(text string) (eval.Limited, error) {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, mustBe("a number, as 0.8")
		}
		c, ok := cut(share)
		if !ok {
			return c, mustBe("above 0 and below 1, of six digits at most")
		}
		return c, nil
	}
}

// promiseValue returns a flag for a promised share, whose value is the name of the cut.
func promiseValue[C eval.Limited](to *string, cut func(float64) (C, bool)) *value[string] {
	return &value[string]{to, "", "float", func(text string) (string, error) {
		c, err := promise(cut)(text)
		if err != nil {
			return "", err
		}
		return c.Name(), nil
	}}
}

// list returns a flag whose items are separated by commas. It may be repeated. The first use replaces the default.
func list[T any](to *[]T, kind string, one func(string) (T, error)) *value[[]T] {
	var read []T
	return &value[[]T]{to, "", kind, func(text string) ([]T, error) {
		for item := range strings.SplitSeq(text, ",") {
			x, err := one(strings.TrimSpace(item))
			if err != nil {
				return nil, err
			}
			read = append(read, x)
		}
		return read, nil
	}}
}

// promisesValue returns a flag for cuts with promised shares. usual is the default.
func promisesValue[C eval.Limited](
	to *[]eval.Limited, usual string, cut func(float64) (C, bool),
) *value[[]eval.Limited] {
	one := promise(cut)
	v := list(to, "floats", one)
	if usual != "" {
		for item := range strings.SplitSeq(usual, ",") {
			c, _ := one(item)
			*to = append(*to, c)
		}
		v.text = usual
	}
	return v
}

// limitedValue returns a flag for cuts by probabilities.
func limitedValue(to *[]eval.Limited) *value[[]eval.Limited] {
	return list(to, "strings", func(name string) (eval.Limited, error) {
		parsed, _ := eval.ParseCut(name)
		limited, ok := parsed.(eval.Limited)
		if !ok {
			return nil, mustBe("cuts by probabilities, such as " + eval.ExpectedNames()[1] + " and precision-0.8")
		}
		return limited, nil
	})
}

// sizesValue returns a flag for different sizes from 1.
func sizesValue(to *[]int) *value[[]int] {
	var seen []int
	return list(to, "ints", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || slices.Contains(seen, n) {
			return 0, mustBe("different sizes from 1, such as 1,10")
		}
		seen = append(seen, n)
		return n, nil
	})
}

// countValue returns a flag for a whole number from least. usual is the default.
func countValue(to *int, usual, least int) *value[int] {
	*to = usual
	return &value[int]{to, strconv.Itoa(usual), "int", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least {
			return 0, mustBe(fmt.Sprintf("a whole number from %d", least))
		}
		return n, nil
	}}
}

// priorityValue returns a flag for a number that the database can hold.
func priorityValue(to *int) *value[int] {
	return &value[int]{to, "0", "int", func(text string) (int, error) {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return 0, mustBe(fmt.Sprintf("a number from %d to %d", math.MinInt32, math.MaxInt32))
		}
		return int(n), nil
	}}
}

// slackValue returns a flag for a finite number.
func slackValue(to *float32) *value[float32] {
	return &value[float32]{to, "0", "float", func(text string) (float32, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(math.Abs(x) <= math.MaxFloat32) {
			return 0, mustBe("a finite number, such as 0.8")
		}
		return float32(x), nil
	}}
}

// hoursValue returns a flag for a time in hours.
func hoursValue(to *time.Duration) *value[time.Duration] {
	return &value[time.Duration]{to, "0", "float", func(text string) (time.Duration, error) {
		x, err := strconv.ParseFloat(text, 64)
		d := time.Duration(x * float64(time.Hour))
		if err != nil || d <= 0 { // also refuses NaN and overflow
			return 0, mustBe("above 0 and at most 2,500,000")
		}
		return d, nil
	}}
}

// minutesValue returns a flag for a time such as 90s, 2m or 1h30m.
func minutesValue(to *time.Duration) *value[time.Duration] {
	return &value[time.Duration]{to, "", "duration", func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, mustBe("a time such as 90s, 2m or 1h30m")
		}
		return d, nil
	}}
}

// ageValue returns a flag for a time with days, such as 30d or 12h.
func ageValue(to *time.Duration) *value[time.Duration] {
	return &value[time.Duration]{to, "", "string", func(text string) (time.Duration, error) {
		d, err := parseAge(text)
		if err != nil {
			return 0, mustBe("a time such as 30d or 12h")
		}
		return d, nil
	}}
}
