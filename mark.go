package main

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

// writeAnswer writes what write makes, with its marks in colours on a terminal.
func (a *app) writeAnswer(write func(io.Writer) error) error {
	p := a.page()
	if !p.Color {
		return write(a.stdout)
	}
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	_, err := io.WriteString(a.stdout, paintMarks(b.String(), p))
	return err
}
