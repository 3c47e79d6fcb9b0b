package session

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// shownAnswers is the number of answers of a set that are shown. The rest is counted.
const shownAnswers = 20

// shownNear is the number of entities just outside a set that are named.
const shownNear = 3

// bracketed returns the query as a part of another one.
func (s *Set) bracketed() string { return s.set.Bracketed() }

// mark returns the mark of a member.
func (s *Set) mark(e int32) retrieve.Mark { return s.set.Mark(e) }

// words returns the mark of a member in words.
func (s *Set) words(e int32) string {
	return retrieve.Member{Mark: s.mark(e), Itself: e == s.set.Itself}.Words()
}

// title returns the query and its number of answers.
func (s *Set) title() string {
	counts := s.set.Counts()
	text := fmt.Sprintf("%s: %s", s.set.Query, counts.NewWords())
	if counts.Known > 0 {
		text += fmt.Sprintf("; %s", quantity.CommaCount(counts.Known, "known answer"))
	}
	return text
}

// near returns the names of the best entities outside the set.
func (s *Set) near() string {
	var best []int32
	for e, x := range s.set.Scores {
		if s.set.In[e] || math.IsInf(x, -1) {
			continue
		}
		at := len(best)
		for at > 0 && x > s.set.Scores[best[at-1]] {
			at--
		}
		if at < shownNear {
			best = slices.Insert(best, at, int32(e))
			best = best[:min(len(best), shownNear)]
		}
	}
	var texts []string
	for _, e := range best {
		texts = append(texts, fmt.Sprintf("%s (%s)", s.trained.Graph.Label(e), s.scoreText(e)))
	}
	if len(texts) == 0 {
		return ""
	}
	return "just outside: " + strings.Join(texts, ", ")
}

// footnotes returns the lines below the answers.
func (s *Set) footnotes() []string {
	var list []string
	for _, note := range s.set.Notes {
		list = append(list, "note: "+note)
	}
	if more := len(s.set.Members) - len(s.shown()); more > 0 {
		list = append(list, fmt.Sprintf("and %s more; Names() has all", quantity.Commas(more)))
	}
	if near := s.near(); near != "" {
		list = append(list, near)
	}
	o := s.by.Options()
	if note, err := s.trained.NovelNote(s.run.session.context(), s.by, o.Threads, nil); err == nil && note != nil {
		text := note.Text
		if words := hintText(note.Hints()); words != "" {
			text += "; " + words
		}
		list = append(list, text)
	}
	if note := s.trained.UnfinishedNote(); note != "" {
		list = append(list, note)
	}
	for _, note := range []string{s.trained.CutNote(s.run.cut), s.trained.TypesNote(s.run.cut)} {
		if note != "" {
			list = append(list, note)
		}
	}
	text := fmt.Sprintf("%s; score: %s", s.trained.Title(), s.scoreWords())
	if s.set.Probabilities != nil {
		text += "; p: probability that a new answer is right, where there is one"
	}
	return append(list, text)
}

// scoreWords returns what scores mean.
func (s *Set) scoreWords() string {
	switch s.set.Scale {
	case retrieve.OfProbability:
		return "probability that the answer is right, of a path the product along it"
	case retrieve.OfScore:
		return "gamma less the value, that of the weakest step"
	}
	return "how far inside the threshold of cut " + s.by.CutText()
}

// scoreText returns a member's score in the form of its scale.
func (s *Set) scoreText(e int32) string {
	switch x := s.set.Scores[e]; {
	case s.set.Scale == retrieve.OfProbability:
		return fmt.Sprintf("%.3f", x)
	case math.IsInf(x, 1):
		return "certain"
	default:
		return fmt.Sprintf("%+.3f", x)
	}
}

// probabilityText returns a member's probability with its prefix, "" if there is none.
func (s *Set) probabilityText(before string, e int32) string {
	p := s.probability(e)
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s%.3f", before, p)
}

// shown returns the members to show: the best new ones and the best known ones.
func (s *Set) shown() (list []int32) {
	count := map[bool]int{}
	for _, e := range s.set.Members {
		known := s.mark(e) == retrieve.Known
		if count[known]++; count[known] <= shownAnswers {
			list = append(list, e)
		}
	}
	return list
}

// HTML shows the answers in a notebook: names, marks, and a bar for each score.
func (s *Set) HTML() string {
	var m markup
	m.open("div", cardBox)
	m.element("div", "font-weight:600;margin-bottom:.3em", s.title())
	longest := 0.0
	for _, e := range s.shown() {
		if x := s.set.Scores[e]; !math.IsInf(x, 1) {
			longest = max(longest, x)
		}
	}
	m.open("table", tableStyle)
	for _, e := range s.shown() {
		m.open("tr", "background:none")
		m.element("td", cellStyle(false), s.trained.Graph.Label(e))
		m.open("td", cellStyle(false))
		colour := markColour(s.mark(e))
		m.badge(s.words(e), colour)
		m.raw("</td>")
		m.element("td", cellStyle(true)+";font-variant-numeric:tabular-nums", s.scoreText(e))
		if s.set.Probabilities != nil {
			m.element("td", cellStyle(true)+";font-variant-numeric:tabular-nums", s.probabilityText("p ", e))
		}
		m.open("td", cellStyle(false))
		share := 0.0
		switch x := s.set.Scores[e]; {
		case math.IsInf(x, 1):
			share = 1
		case longest > 0:
			share = x / longest
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

func markColour(m retrieve.Mark) string {
	switch m {
	case retrieve.Known:
		return blue
	case retrieve.HeldOut:
		return green
	}
	return red
}

// String returns the set as text.
func (s *Set) String() string {
	var b strings.Builder
	b.WriteString(s.title() + "\n")
	label, words := 0, 0
	for _, e := range s.shown() {
		label = max(label, utf8.RuneCountInString(s.trained.Graph.Label(e)))
		words = max(words, len(s.words(e)))
	}
	for _, e := range s.shown() {
		fmt.Fprintf(&b, "  %-*s  %-*s  %s%s\n", label, s.trained.Graph.Label(e), words, s.words(e), s.scoreText(e),
			s.probabilityText("  p ", e))
	}
	b.WriteString(strings.Join(s.footnotes(), "\n"))
	return b.String()
}
