package retrieve

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestShape: the types of the literature, whatever the order of parts and the brackets; other forms have no name.
func TestShape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a > r":                                  "1p",
		"a < r > s":                              "2p",
		"a < r > s < r":                          "3p",
		"a > r > s > r < s":                      "",
		"a > r and b < s":                        "2i",
		"a > r and (b < s and c > r)":            "3i",
		"a > r and b < s and c > r and d > r":    "",
		"a > r and b < s > r":                    "pi",
		"a > r < s and b < s":                    "pi",
		"a > r < s and b < s > s":                "",
		"(a > r and b < s) > r":                  "ip",
		"a > r or b < s":                         "2u",
		"(a > r or b < s) < r":                   "up",
		"a > r or (b < s and c > r)":             "",
		"a > r minus b < s":                      "2in",
		"(a > r and b < s) minus c > r":          "3in",
		"a > r and (b < s minus c > r)":          "3in",
		"(a > r minus c > r) and b < s":          "3in",
		"a > r minus b > r minus c > r":          "",
		"(a > r minus b < s) > r":                "inp",
		"a > r > s minus b < s":                  "pin",
		"a > r minus b < s > r":                  "pni",
		"a > r minus (b < s and c > r)":          "",
		"a > r minus (b < s minus c > r)":        "",
		"(a > r or b < s) minus c > r":           "",
		"((a > r)) and (((b < s) > r))":          "pi",
		`"and" > "minus" minus "or" > "> and <"`: "2in",
	} {
		x, err := ParseExpression(text)
		expect.NoError(t, err)
		if got := x.Shape(); got != want {
			t.Errorf("%s has shape %q, want %q", text, got, want)
		}
	}
}

// TestJoin: facts alone, of the splits that are given, and in the direction that is written.
func TestJoin(t *testing.T) {
	t.Parallel()
	g, err := kg.New("small", [][3]string{{"a", "r", "b"}, {"b", "s", "c"}, {"a", "r", "d"}, {`e "`, "r", "a"}}, nil,
		[][3]string{{"d", "s", "a"}, {"c", "r", "d"}})
	expect.NoError(t, err)
	for text, want := range map[string][2]string{ // by training, by all
		"a > r":                   {"b d", "b d"},
		"a > r > s":               {"c", "a c"},
		"d < r":                   {"a", "a c"},
		"c < s < r":               {"a", "a"},
		"a > r and c > r":         {"", "d"},
		"a > r or c > r":          {"b d", "b d"},
		"a > r minus c > r":       {"b d", "b"},
		"(a > r minus c > r) > s": {"c", "c"},
		Quote(`e "`) + " > r":     {"a", "a"},
	} {
		x, err := ParseExpression(text)
		expect.NoError(t, err)
		for i, facts := range []*kg.Index{g.Index(kg.Train), g.Index(kg.Train, kg.Test)} {
			in, err := x.Join(g, facts)
			expect.NoError(t, err)
			got := ""
			for _, name := range []string{"a", "b", "c", "d"} {
				if e, _ := g.Entities.ID(name); in[e] {
					got += " " + name
				}
			}
			if got = got[min(1, len(got)):]; got != want[i] {
				t.Errorf("%s by %d splits is %q, want %q", text, i+1, got, want[i])
			}
		}
	}
}
