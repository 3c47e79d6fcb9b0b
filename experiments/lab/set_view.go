package lab

import (
	"fmt"
	"math"
	"strings"

	"github.com/spherelab/spherelab/experiments"
)

// shownAnswers is how many answers of a set are shown; the rest is counted.
const shownAnswers = 20

// shownNear is how many entities just outside a set are named.
const shownNear = 3

// bracketed is the question as a part of another one.
func (s *Set) bracketed() string { return "(" + s.question + ")" }

// mark says how an answer is known.
func (s *Set) mark(e int32) string {
	switch {
	case s.levels[e] == known:
		return "known"
	case s.levels[e] == proven:
		return "inferred, true (test)"
	case e == s.itself:
		return "inferred, itself"
	}
	return "inferred"
}

// title says what was asked and how many answers there are.
func (s *Set) title() string {
	var sure, proof int
	for _, e := range s.members {
		switch s.levels[e] {
		case known:
			sure++
		case proven:
			proof++
		}
	}
	text := fmt.Sprintf("%s: %s, %d known, %d inferred", s.question, count(len(s.members), "answer"), sure, len(s.members)-sure)
	if proof > 0 {
		text += fmt.Sprintf(" (%d of them true in the test split)", proof)
	}
	return text
}

// near names the best entities outside.
func (s *Set) near() string {
	var best []int32
	for e, x := range s.scores {
		if s.in[e] || math.IsInf(x, -1) {
			continue
		}
		at := len(best)
		for at > 0 && x > s.scores[best[at-1]] {
			at--
		}
		if at < shownNear {
			best = append(best[:at], append([]int32{int32(e)}, best[at:]...)...)
			best = best[:min(len(best), shownNear)]
		}
	}
	var texts []string
	for _, e := range best {
		texts = append(texts, fmt.Sprintf("%s (%+.3f)", s.asker.trained.Graph.Label(e), s.scores[e]))
	}
	if len(texts) == 0 {
		return ""
	}
	return "just outside: " + strings.Join(texts, ", ")
}

// footnotes are what stands below the answers.
func (s *Set) footnotes() []string {
	var list []string
	if more := len(s.members) - shownAnswers; more > 0 {
		list = append(list, fmt.Sprintf("and %s more; Names() has all", thousands(more)))
	}
	if near := s.near(); near != "" {
		list = append(list, near)
	}
	cfg := s.asker.trained.Config
	return append(list, fmt.Sprintf("%s (%s), run %s; score: distance left to the border of criterion %s", experiments.ModelTitle(cfg.Model), cfg.Variant,
		short(s.asker.run.info.ID), s.asker.criterion))
}

func (s *Set) shown() []int32 { return s.members[:min(len(s.members), shownAnswers)] }

// HTML shows the answers in a notebook: names, how they are known, and a bar for each score.
func (s *Set) HTML() string {
	var m markup
	m.open("div", cardBox)
	m.element("div", "font-weight:600;margin-bottom:.3em", s.title())
	longest := 0.0
	for _, e := range s.shown() {
		longest = max(longest, s.scores[e])
	}
	m.open("table", tableStyle)
	for _, e := range s.shown() {
		m.open("tr", "background:none")
		m.element("td", cellStyle(false), s.asker.trained.Graph.Label(e))
		m.open("td", cellStyle(false))
		colour := red
		switch s.levels[e] {
		case known:
			colour = blue
		case proven:
			colour = green
		}
		m.badge(s.mark(e), colour)
		m.raw("</td>")
		m.element("td", cellStyle(true)+";font-variant-numeric:tabular-nums", fmt.Sprintf("%+.3f", s.scores[e]))
		m.open("td", cellStyle(false))
		share := 0.0
		if longest > 0 {
			share = s.scores[e] / longest
		}
		m.bar(share, "9em", colour)
		m.raw("</td></tr>")
	}
	m.raw("</table>")
	for _, note := range s.footnotes() {
		m.element("div", "margin-top:.3em;font-size:90%;"+faint, note)
	}
	m.raw("</div>")
	return m.String()
}

// String is the set as text.
func (s *Set) String() string {
	var b strings.Builder
	b.WriteString(s.title() + "\n")
	width := 0
	for _, e := range s.shown() {
		width = max(width, len([]rune(s.asker.trained.Graph.Label(e))))
	}
	for _, e := range s.shown() {
		label := s.asker.trained.Graph.Label(e)
		fmt.Fprintf(&b, "  %s%s  %-21s  %+.3f\n", label, strings.Repeat(" ", width-len([]rune(label))), s.mark(e), s.scores[e])
	}
	b.WriteString(strings.Join(s.footnotes(), "\n"))
	return b.String()
}
