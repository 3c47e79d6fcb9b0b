package interp

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel"
)

// TestNumberAsText: a literal number for a string is refused as Go does, before anything of the cell runs.
func TestNumberAsText(t *testing.T) {
	s := start(t, Options{})
	s.ok("import (\"fmt\"; \"strings\"; \"strconv\")\nfunc say(n int, words ...string) string { return fmt.Sprint(n, words) }\ntype T struct{}\nfunc (T) Name(s string) T { return T{} }\nvalue := T{}\nran := 0")
	for code, want := range map[string]string{
		"ran = 1\nstrings.ToUpper(5)":            "cannot use 5 (untyped int constant) as string value in argument to strings.ToUpper",
		"strings.ToUpper('a')":                   "cannot use 'a' (untyped rune constant 97) as string value in argument to strings.ToUpper",
		"strings.ToUpper(-5)":                    "cannot use -5 (untyped int constant) as string value in argument to strings.ToUpper",
		"say(1, \"a\", 6)":                       "cannot use 6 (untyped int constant) as string value in argument to say",
		"value.Name(7)":                          "cannot use 7 (untyped int constant) as string value in argument to value.Name",
		"value.Name(\"a\").Name((8))":            either("cannot use 8 (untyped int constant)", "cannot use (8) (untyped int constant 8)") + " as string value in argument to value.Name(\"a\").Name",
		"func f() string { return say(1, 0x9) }": "cannot use 0x9 (untyped int constant" + either("", " 9") + ") as string value in argument to say",
	} {
		o := s.run(code)
		if o.failure == nil || o.failure.Name != kernel.NameCompile || o.failure.Value != want {
			t.Errorf("%s\n%v, want %s", code, o.failure, want)
		} else if !strings.Contains(strings.Join(o.failure.Traceback, "\n"), "cell [") {
			t.Errorf("%s: the place is missing: %v", code, o.failure.Traceback)
		}
	}
	for code, want := range map[string]string{
		"ran":                      "0",
		"string('a')":              "a",
		"say(5)":                   "5 []",
		"say(5, \"a\")":            "5 [a]",
		"strconv.Itoa(5)":          "5",
		"strings.Repeat(\"a\", 3)": "aaa",
		"func twice(say func(n int) int) int { return say(2) }\ntwice(func(n int) int { return 2 * n })": "4",
		"func(say func(a, b int) int) int { return say(2, 3) }(func(a, b int) int { return a * b })":     "6",
		"fmt.Sprint(5)":              "5",
		"len(append([]int{}, 5, 6))": "2",
		"say := func(a, b int) int { return a + b }\nsay(1, 2)": "3",
	} {
		if o := s.ok(code); o.value != want {
			t.Errorf("%s\n%s, want %s", code, o.value, want)
		}
		if strings.HasPrefix(code, "say :=") {
			s.ok("func say(n int, words ...string) string { return fmt.Sprint(n, words) }") // the next cells mean this one
		}
	}
}
