package chart

import (
	"math"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/spherelab/spherelab/internal/quantity"
)

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		s    scale
		n    int
		want string
	}{
		{scale{lo: 0, hi: 1}, 5, "0 0.2 0.4 0.6 0.8 1.0"},
		{scale{lo: 0.17, hi: 0.71}, 5, "0.2 0.4 0.6"},
		{scale{lo: 1, hi: 300, isWhole: true}, 6, "50 100 150 200 250 300"},
		{scale{lo: 1, hi: 3, isWhole: true}, 10, "1 2 3"},
		{scale{lo: -1.5, hi: 1.5}, 3, "-1 0 1"},
		{scale{lo: 0, hi: 2000000}, 4, "0 500,000 1,000,000 1,500,000 2,000,000"},
		{scale{lo: 0, hi: 5e-6}, 5, "0 1e-6 2e-6 3e-6 4e-6 5e-6"},
		{scale{lo: 0, hi: 3e7}, 3, "0 1e7 2e7 3e7"},
		{scale{lo: 1, hi: 10000, isLog: true}, 6, "1 10 100 1,000 10,000"},
		{scale{lo: 0.5, hi: 60, isLog: true}, 9, "0.5 1 2 5 10 20 50"},
		{scale{lo: 1e-12, hi: 1, isLog: true}, 4, "1e-12 1e-9 1e-6 0.001 1"},
		{scale{lo: 2, hi: 4, isLog: true}, 4, "2.0 2.5 3.0 3.5 4.0"},
		{scale{lo: 123.456, hi: 123.457}, 2, "123.4560 123.4565 123.4570"},
	} {
		var got []string
		for _, tick := range test.s.ticks(test.n) {
			got = append(got, tick.label)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%+v with %d ticks has %s, not %s", test.s, test.n, s, test.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 0.45123456: "0.4512", -0.5: "-0.5", 12345: "12,345", 12345.6: "12,346", 1e12: "1e12", 2.5e-7: "2.5e-7",
		1234567: "1,234,567",
		-1234:   "-1,234", math.Inf(-1): "-infinite", 999.96: "1,000", 5e-324: "4.941e-324",
	} {
		if got := number(v); got != want {
			t.Errorf("%g is written %s, not %s", v, got, want)
		}
	}
	if got := number(math.Copysign(0, -1)); got != "0" {
		t.Errorf("minus zero is written %s", got)
	}
	if got := number(math.NaN()); got != "NaN" {
		t.Errorf("NaN is written %s", got)
	}
}

func TestCleanAndCut(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"  a \n b\t": "a b", "\x1b[31mred": "[31mred", "\xff": "\ufffd", "a\u202eb": "ab", "👩‍🔬 关系": "👩‍🔬 关系",
		"\x00": "",
	} {
		if got := clean(s); got != want {
			t.Errorf("%q is cleaned to %q, not %q", s, got, want)
		}
	}
	for _, name := range []string{"/award/award_nominee/award_nominations", "关系关系关系关系关系", strings.Repeat("e\u0301", 30),
		strings.Repeat("👩‍🔬", 20), strings.Repeat("x", 1e6)} {
		short := shortenTo(name, 12, 100)
		if w := measure(short, 12); w > 100 || w < 70 {
			t.Errorf("%.40q is cut to %q of %g px", name, short, w)
		}
		for _, letter := range letters(short) {
			if letter != "…" && !strings.Contains(name, letter) || strings.HasPrefix(letter, "\u0301") ||
				strings.HasPrefix(letter, "\u200d") {
				t.Errorf("%.40q is cut within a character: %q", name, short)
			}
		}
		if text := fit(name, 10); uniseg.StringWidth(text) > 10 {
			t.Errorf("%.40q is cut to %d columns", name, uniseg.StringWidth(text))
		}
	}
	if got := shortenTo("short", 12, 100); got != "short" {
		t.Errorf("a short name becomes %q", got)
	}
	lines := wrap("one two three four five six", 12, 60, 2)
	if len(lines) != 2 || lines[0] != "one two" || !strings.Contains(lines[1], "…") ||
		!strings.HasSuffix(lines[1], "six") {
		t.Errorf("the text is broken into %q", lines)
	}
}

func TestLegendFitsAndCountsTheRest(t *testing.T) {
	t.Parallel()
	var keys []key
	for range 40 {
		keys = append(keys, key{name: strings.Repeat("name ", 12), sample: func(surface, point) {}})
	}
	rows := legend(keys, 10, 300)
	if len(rows) != 5 {
		t.Fatalf("%d rows", len(rows))
	}
	shown := 0
	var last placed
	for _, row := range rows {
		for _, p := range row {
			last = p
			if p.key.sample == nil {
				continue
			}
			shown++
			if p.x+sampleWidth+measure(p.name, textSize) > 310 {
				t.Errorf("%q leaves the chart", p.name)
			}
		}
	}
	if want := "and " + quantity.Commas(40-shown) + " more"; last.name != want {
		t.Errorf("the legend ends with %q, not %q", last.name, want)
	}
}

// One tick alone says nothing of the scale: the axis of a small chart has two at least.
func TestTwoTicksAtLeast(t *testing.T) {
	t.Parallel()
	for _, s := range []scale{{lo: 0.13, hi: 0.83}, {lo: 0.2, hi: 0.62}, {lo: -0.1, hi: 0.7}, {lo: 3.1, hi: 7.9}} {
		for n := 2; n < 6; n++ {
			if list := s.ticks(n); len(list) < 2 || len(list) > n+3 {
				t.Errorf("%v, about %d wanted: %v", s, n, list)
			}
		}
	}
}

// TestCaptionsFitAWiderFont: a browser without Liberation Sans or Arial draws wider letters, and cuts nothing off.
func TestCaptionsFitAWiderFont(t *testing.T) {
	t.Parallel()
	box := rect{0, 0, 480, 400}
	words := strings.Repeat("the number at a point is a score; ", 6)
	f, err := newFrame(Options{Caption: words}, box, nil, []string{words}, 30)
	if err != nil || len(f.caption) < 4 {
		t.Fatalf("%d lines: %v", len(f.caption), err)
	}
	for _, line := range f.caption {
		if measure(line, smallSize)*widerFont > box.width()-2*pad {
			t.Errorf("too long in a wider font: %s", line)
		}
	}
}
