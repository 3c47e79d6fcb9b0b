package native

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/compile/dynamic"
	"github.com/spherelab/spherelab/kernel/golang/compile/slot"
	"github.com/spherelab/spherelab/kernel/golang/compile/snippet"
	"github.com/spherelab/spherelab/kernel/golang/layout"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// library is what the package of a test is linked to.
type library map[string]any

func (l library) Value(_, name string) (reflect.Value, bool) {
	v, ok := l[name]
	return reflect.ValueOf(v), ok
}

// outcome calls the compiled function that f of a file stands for, and prints its results or its panic.
func outcome(t *testing.T, source string, linked any, args ...any) (text string) {
	t.Helper()
	pkg := snippet.Build(t, source)
	f, x := pkg.Func("f"), run.NewExecution(nil)
	l := library{"f": linked}
	if linked == nil {
		l = nil
	}
	s := New(dynamic.New(pkg.Prog, layout.New(nil), x.Crowd, nil), l)
	plan := slot.PlanOf(s.Types, f.Signature)
	frame := reflect.New(plan.Frame()).UnsafePointer()
	run.HeadOf(frame).G = run.NewG(x)
	for i, v := range args {
		reflect.NewAt(reflect.TypeOf(v), unsafe.Add(frame, plan.Params[i])).Elem().Set(reflect.ValueOf(v))
	}
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint("panic: ", v)
		}
	}()
	s.Step(f, plan.Params, plan.Results)(frame)
	var results []any
	for i, offset := range plan.Results {
		results = append(results, reflect.NewAt(plan.Out[i], unsafe.Add(frame, offset)).Elem().Interface())
	}
	return strings.TrimSuffix(fmt.Sprintln(results...), "\n")
}

// TestStep calls compiled functions: those of common signatures, and others by reflection.
func TestStep(t *testing.T) {
	for source, c := range map[string]struct {
		linked any
		args   []any
		want   string
	}{
		"func f(x float64) float64":      {math.Sqrt, []any{6.25}, "2.5"},
		"func f(x, y float64) float64":   {math.Pow, []any{2.0, 3.0}, "8"},
		"func f(s string) string":        {strings.ToUpper, []any{"ab"}, "AB"},
		"func f(s, t string) int":        {strings.Index, []any{"abc", "c"}, "2"},
		"func f(s string, n int) string": {strings.Repeat, []any{"ab", 2}, "abab"},
		"func f(s string) []string":      {strings.Fields, []any{"a b"}, "[a b]"},
		"func f(x int8, y string) (string, int8)": {func(x int8, y string) (string, int8) { return y + y, x - 1 },
			[]any{int8(-128), "a"}, "aa 127"},
		"func f(base int, xs ...int) int": {func(base int, xs ...int) int { return base*10 + len(xs) },
			[]any{4, []int{7, 8, 9}}, "43"},
		"func f(x [2]int32) [2]int32": {func(x [2]int32) [2]int32 { return [2]int32{x[1], x[0]} },
			[]any{[2]int32{1, 2}}, "[2 1]"},
		"func f() int":  {func() int { panic("lost") }, nil, "panic: lost"},
		"func f(x int)": {nil, []any{1}, "panic: main.f is not linked into this program"},
	} {
		if got := outcome(t, source, c.linked, c.args...); got != c.want {
			t.Errorf("%s of %v: %s, want %s", source, c.args, got, c.want)
		}
	}
}

// TestSpecial: a function that needs more than a call is known by its name in SSA.
func TestSpecial(t *testing.T) {
	s := New(&dynamic.Values{}, library{})
	for name, want := range map[string]bool{
		"fmt.Println": true, "errors.As": true, "(*sync.Mutex).Lock": true, "(*sync.Mutex).Unlock": true,
		"encoding/xml.Marshal": false, "(*database/sql.Rows).Scan": false,
		"os.Exit": true, "log.Fatalln": true, "(*flag.FlagSet).Parse": true, "encoding/json.Unmarshal": true,
		"strings.ToUpper": false, "(*sync.Once).Do": false, "encoding/json.Valid": false, "(*database/sql.DB).Ping": false,
	} {
		if got := s.IsSpecial(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestLate: standard output as compiled code gets it is output of the cell; a cell gets the file back.
func TestLate(t *testing.T) {
	var out io.Writer = os.Stdout
	given := lateOf(reflect.ValueOf(&out).Elem()).Interface()
	back, isLate := given.(io.Writer), false
	if _, isLate = given.(late); !isLate {
		t.Errorf("compiled code gets a %T", given)
	}
	if restoreFile(&back); back != os.Stdout {
		t.Errorf("the cell gets a %T back", back)
	}
	var other io.Writer = &strings.Builder{}
	list := allLate(reflect.ValueOf([]io.Writer{other, os.Stderr})).Interface().([]io.Writer)
	if _, isLate = list[1].(late); list[0] != other || !isLate {
		t.Errorf("of a list compiled code gets %T", list)
	}
}

// TestParseFlags: where flags would end the program they end the cell, and the set is as before.
func TestParseFlags(t *testing.T) {
	for _, c := range []struct {
		how  flag.ErrorHandling
		args string
		want string
	}{
		{flag.ExitOnError, "-n 3", "3 <nil>"}, {flag.ExitOnError, "-h", "panic: exit status 0"},
		{flag.ExitOnError, "-m", "panic: exit status 2"}, {flag.ContinueOnError, "-n 4", "4 <nil>"},
		{flag.ContinueOnError, "-h", "0 flag: help requested"},
	} {
		set := flag.NewFlagSet("set", c.how)
		set.SetOutput(io.Discard)
		n := set.Int("n", 0, "")
		got := func() (text string) {
			defer func() {
				if v := recover(); v != nil {
					text = fmt.Sprint("panic: ", v)
				}
			}()
			err := parseFlags(set, strings.Fields(c.args))
			return fmt.Sprint(*n, " ", err)
		}()
		if got != c.want || set.ErrorHandling() != c.how {
			t.Errorf("%s: %s, want %s; then %v", c.args, got, c.want, set.ErrorHandling())
		}
	}
}

// TestPrinted compares the predeclared print with what compiled Go writes.
func TestPrinted(t *testing.T) {
	for want, v := range map[string]any{
		"3": 3, "true": true, "text": "text", "2.5": 2.5, "1e+100": 1e100, "0.1": float32(.1), "(1+2i)": complex(1, 2),
		"0x0": (*int)(nil), "[0/0]0x0": []int(nil), "-7": int8(-7), "+Inf": math.Inf(1),
	} {
		if got := Printed(v); got != want {
			t.Errorf("%T is printed as %s, want %s", v, got, want)
		}
	}
}
