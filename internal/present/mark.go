package present

import (
	"io"
	"regexp"
	"strings"

	"github.com/spherelab/spherelab/experiments/results"
)

// markWords finds the mark of an answer in its line: a cell of its own.
var markWords = regexp.MustCompile(`  ((?:known \([a-z, ]+\)|held out \(test\)|inferred)(?:, itself)?)(?:  |$)`)

// paintMarks colours the marks of answers in a text for a page.
func paintMarks(s string, p results.Page) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line, end := strings.CutSuffix(line, "\n")
		if at := markWords.FindStringSubmatchIndex(line); at != nil {
			tone := results.Inferred
			switch line[at[2]] {
			case 'k':
				tone = results.Known
			case 'h':
				tone = results.HeldOut
			}
			line = line[:at[2]] + p.Paint(tone, line[at[2]:at[3]]) + line[at[3]:]
		}
		b.WriteString(line)
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// WriteAnswer writes the output of write for a page: lines are wrapped, and marks have colours.
func WriteAnswer(w io.Writer, p results.Page, write func(w io.Writer, width int) error) error {
	var b strings.Builder
	if err := write(&b, p.Width); err != nil {
		return err
	}
	text := b.String()
	if p.Width > 0 {
		text = results.Wrap(text, p.Width) + "\n"
	}
	if p.Color {
		text = paintMarks(text, p)
	}
	_, err := io.WriteString(w, text)
	return err
}
