package command

import "strings"

// Complete returns whether a cell can be run: "complete", "incomplete" (then indent is what the next line should start
// with) or "invalid". Consoles ask for it after each line. parses reports whether code has no syntax errors.
func Complete(code string, parses func(code string) bool) (status, indent string) {
	text := strings.ReplaceAll(code, "\r\n", "\n")
	if strings.TrimSpace(text) == "" {
		return "complete", ""
	}
	for _, p := range Split(text) {
		if p.Command {
			if (strings.HasPrefix(p.Text, "%%") || isWritefile(p.Text)) && !strings.HasSuffix(text, "\n") {
				return "incomplete", ""
			}
			continue
		}
		if status, indent = codeComplete(p.Text, parses); status != "complete" {
			return status, indent
		}
	}
	return "complete", ""
}

func codeComplete(text string, parses func(code string) bool) (status, indent string) {
	var s Scanner
	for _, line := range strings.Split(text, "\n") {
		s.Scan(line)
	}
	if s.inRaw || s.inComment {
		return "incomplete", ""
	}
	if s.depth > 0 {
		return "incomplete", strings.Repeat("\t", s.depth)
	}
	if s.depth < 0 {
		return "invalid", ""
	}
	if s.isOpen && !strings.HasSuffix(strings.TrimSpace(text), "}") {
		last := strings.TrimRight(text, " \t\n")
		if !strings.HasSuffix(last, ":") { // a label or case is the parser's business
			return "incomplete", "\t"
		}
	}
	if parses(text) {
		return "complete", ""
	}
	return "invalid", ""
}
