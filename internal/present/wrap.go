package present

import (
	"regexp"
	"strings"

	"github.com/spherelab/spherelab/experiments/results"
)

// firstColumn matches the first column of a line that has several, with the space after it.
var firstColumn = regexp.MustCompile(`^(\s*\S.*?\s{2,})(\S.*)$`)

// hang breaks a line of two columns that is wider than a page, so that the second column continues below itself. If a
// word does not fit there, the second column starts on a line of its own.
func hang(line string, width int) string {
	m := firstColumn.FindStringSubmatch(line)
	if width <= 0 || len([]rune(line)) <= width || m == nil {
		return results.Wrap(line, width)
	}
	at := len([]rune(m[1]))
	for word := range strings.FieldsSeq(m[2]) {
		if len([]rune(word)) > width-at {
			first := strings.TrimRight(m[1], " ")
			indent := strings.Repeat(" ", len(first)-len(strings.TrimLeft(first, " "))+2)
			return first + "\n" + results.Wrap(indent+m[2], width)
		}
	}
	return m[1] + Below(m[2], width, at)
}

// Below breaks a text that starts at a column, so that its further lines are below the first.
func Below(text string, width, at int) string {
	if width <= 0 {
		return text
	}
	return strings.ReplaceAll(results.Wrap(text, max(width-at, 1)), "\n", "\n"+strings.Repeat(" ", at))
}

// HangLines applies hang to every line of a text.
func HangLines(text string, width int) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, hang(strings.TrimRight(line, "\n"), width))
	}
	return strings.Join(lines, "\n") + "\n"
}

// WrapParagraphs reflows the paragraphs of a help text for a page, and hangs its lists. Examples are unchanged, so that
// they can be copied.
func WrapParagraphs(text string, width int) string {
	var done []string
	examples := false
	for _, paragraph := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		switch {
		case examples && strings.HasPrefix(lines[0], " "), lines[0] == "Examples:":
			examples = true
			done = append(done, paragraph)
			continue
		case !strings.HasPrefix(paragraph, " ") && !strings.Contains(paragraph, "\n ") &&
			!strings.Contains(paragraph, "   "):
			paragraph = results.Wrap(strings.Join(lines, " "), width)
		default:
			paragraph = strings.TrimRight(HangLines(paragraph, width), "\n")
		}
		examples = false
		done = append(done, paragraph)
	}
	return strings.Join(done, "\n\n") + "\n"
}
