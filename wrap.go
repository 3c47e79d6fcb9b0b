package main

import (
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/results"
)

// firstColumn is the first column of a line that has several, with the space behind it.
var firstColumn = regexp.MustCompile(`^(\s*\S.*?\s{2,})(\S.*)$`)

// hang breaks a line of two columns, where it is wider than a page, so that the second column continues below itself. A
// second column with a word that has no room there begins on a line of its own.
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
	return m[1] + below(m[2], width, at)
}

// below breaks a text that stands behind at columns; its further lines are below the first.
func below(text string, width, at int) string {
	if width <= 0 {
		return text
	}
	return strings.ReplaceAll(results.Wrap(text, max(width-at, 1)), "\n", "\n"+strings.Repeat(" ", at))
}

// hangLines does hang for every line of a text.
func hangLines(text string, width int) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, hang(strings.TrimRight(line, "\n"), width))
	}
	return strings.Join(lines, "\n") + "\n"
}

// wrapHelp makes help fit into the terminal. Without one it is as it is written, at 120 columns.
func (a *app) wrapHelp(root *cobra.Command) {
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		width, out := a.page().Width, cmd.OutOrStdout()
		if width == 0 {
			write(cmd, args)
			return
		}
		var b strings.Builder
		cmd.SetOut(&b)
		write(cmd, args)
		cmd.SetOut(out)
		_, _ = io.WriteString(out, wrapParagraphs(b.String(), width)) // as cobra does
	})
}

// wrapParagraphs fills the paragraphs of a help text anew for a page, and hangs its lists. Examples stay, so that they
// can be copied.
func wrapParagraphs(text string, width int) string {
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
			paragraph = strings.TrimRight(hangLines(paragraph, width), "\n")
		}
		examples = false
		done = append(done, paragraph)
	}
	return strings.Join(done, "\n\n") + "\n"
}
