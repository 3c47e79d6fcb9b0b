package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestDocumentedCommands looks up every `go run . ...` and `make ...` of the documents' code blocks: the subcommand and
// its flags in the built binary's help, the target in the Makefile.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	help := builtHelp(t)
	targets := makeTargets(t)
	commands := 0
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := filepath.Glob(inRoot(pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no documents, %v", pattern, err)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		source, err := os.ReadFile(page)
		expect.NoError(t, err)
		for _, c := range codeLines(string(source)) {
			words, err := shellWords(c.text)
			if err != nil {
				t.Errorf("%s:%d: %v", page, c.line, err)
				continue
			}
			args, isOurs := ourArguments(words)
			switch {
			case isOurs:
				err = checkCommand(help, args)
			case len(words) > 0 && words[0] == "make":
				err = checkMake(targets, words[1:])
			default:
				continue
			}
			commands++
			if err != nil {
				t.Errorf("%s:%d: %s: %v", page, c.line, c.text, err)
			}
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands found in the documents", commands)
	}
}

func TestDocumentedCommandsFindFaults(t *testing.T) {
	t.Parallel()
	help := func(path ...string) (string, error) {
		switch strings.Join(path, " ") {
		case "":
			return "Usage:\n\nAvailable Commands:\n  train       Train\n  runs        Look at runs\n  sweep       Train all\n\nFlags:\n  -h, --help   help\n", nil
		case "runs":
			return "Available Commands:\n  ls          List\n\nFlags:\n  -h, --help   help\n", nil
		case "sweep":
			return "Usage:\n  spherelab sweep FILE [flags]\n\nAvailable Commands:\n  status      Tell\n\nFlags:\n      --data DIR   folder\n", nil
		default:
			return "Usage:\n  spherelab x\n\nFlags:\n      --data DIR   folder\n  -h, --help   help\n\nGlobal Flags:\n      --json   machines\n", nil
		}
	}
	for line, want := range map[string]string{
		"go run . train":                    "",
		"go run . train --data ../x --json": "",
		"go run . runs ls":                  "",
		"spherelab runs ls --data=x":        "",
		"go run . sweep a.yaml --data ../x": "",
		"go run . sweep status --data ../x": "",
		"go run . sweep a.yaml --dta ../x":  "--dta",
		"go run . sweep stauts":             "no command sweep stauts",
		"go run . runs a.yaml":              "no command runs a.yaml",
		"go run . trian":                    "no command trian",
		"go run . runs lss":                 "no command runs lss",
		"go run . train --dta x":            "--dta",
	} {
		words, err := shellWords(line)
		expect.NoError(t, err)
		args, isOurs := ourArguments(words)
		if !isOurs {
			t.Errorf("%q is not seen as a command of ours", line)
		}
		got := fmt.Sprint(checkCommand(help, args))
		if want == "" && got != "<nil>" || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	if checkMake([]string{"test"}, []string{"tset"}) == nil {
		t.Error("make tset is accepted")
	}
	lines := codeLines("text\n\n```text\nan output's line\n```\n    go run . a   # why\n\n```sh\n$ go run . b \\\n    --c\n```\n\n- item\n\n    inside a list\n")
	want := []codeLine{{6, "go run . a"}, {9, "go run . b --c"}}
	if !slices.Equal(lines[:2], want) {
		t.Errorf("code lines %v, want %v", lines, want)
	}
	if words, err := shellWords(`a "b c" '?' d`); err != nil || !slices.Equal(words, []string{"a", "b c", "?", "d"}) {
		t.Errorf("words %q, %v", words, err)
	}
}

// helpOf prints the help of a command, named by its path below the program.
type helpOf func(path ...string) (string, error)

// builtHelp asks the built program.
func builtHelp(t *testing.T) helpOf {
	t.Helper()
	p := &program{t, []string{"HOME=" + t.TempDir(), "NO_COLOR=1"}}
	return func(path ...string) (string, error) {
		stdout, stderr, code := p.run(append(path, "--help")...)
		if code != exitOK {
			return "", fmt.Errorf("%s --help: exit %d\n%s", strings.Join(path, " "), code, stderr)
		}
		return stdout, nil
	}
}

// checkCommand goes down the command tree by each help's list of commands, then looks for the flags in the help where
// it ends.
func checkCommand(help helpOf, args []string) error {
	var path []string
	for {
		text, err := help(path...)
		if err != nil {
			return err
		}
		sub := helpCommands(text)
		next := len(path)
		if len(sub) > 0 && next < len(args) && !strings.HasPrefix(args[next], "-") {
			takesFile := next > 0 && regexp.MustCompile(`(?m)^\s+spherelab `+regexp.QuoteMeta(strings.Join(path, " "))+
				` [A-Z]`).MatchString(text)
			if !slices.Contains(sub, args[next]) && takesFile && strings.ContainsAny(args[next], "./") {
				return checkFlags(text, path, args[next:])
			}
			if !slices.Contains(sub, args[next]) {
				return fmt.Errorf("no command %s; there are %v", strings.Join(append(path, args[next]), " "), sub)
			}
			path = append(path, args[next])
			continue
		}
		return checkFlags(text, path, args[next:])
	}
}

// checkFlags looks every flag up in a command's help.
func checkFlags(text string, path, args []string) error {
	for _, arg := range args {
		flag, _, _ := strings.Cut(arg, "=")
		if strings.HasPrefix(flag, "--") && !regexp.MustCompile(`(?m)^\s+(-\w, )?`+regexp.QuoteMeta(flag)+
			`\b`).MatchString(text) {
			return fmt.Errorf("%s is not a flag of %q", flag, strings.Join(path, " "))
		}
	}
	return nil
}

// helpCommands reads the indented names below "Available Commands:".
func helpCommands(text string) []string {
	_, list, ok := strings.Cut(text, "Available Commands:\n")
	if !ok {
		return nil
	}
	var names []string
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(line, " ") {
			break
		}
		names = append(names, fields[0])
	}
	return names
}

func ourArguments(words []string) ([]string, bool) {
	switch {
	case len(words) >= 3 && slices.Equal(words[:3], []string{"go", "run", "."}):
		return words[3:], true
	case len(words) >= 1 && words[0] == "spherelab":
		return words[1:], true
	}
	return nil, false
}

func makeTargets(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile(inRoot("Makefile"))
	expect.NoError(t, err)
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(string(source), -1) {
		targets = append(targets, m[1])
	}
	return targets
}

func checkMake(targets, words []string) error {
	for _, word := range words {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") && !slices.Contains(targets, word) {
			return fmt.Errorf("no target %s in the Makefile", word)
		}
	}
	return nil
}

type codeLine struct {
	line int
	text string
}

// codeLines returns the lines of fenced and indented code blocks, a prompt and a trailing comment taken off, continued
// lines joined. A block fenced as text is output and is left out.
func codeLines(source string) []codeLine {
	var lines []codeLine
	fenced, output, joined, at := false, false, "", 0
	for i, line := range strings.Split(source, "\n") {
		if mark, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
			fenced, output = !fenced, !fenced && mark == "text"
			continue
		}
		if output || !fenced && !strings.HasPrefix(line, "    ") {
			continue
		}
		text := strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if before, _, found := strings.Cut(text, " #"); found {
			text = strings.TrimSpace(before)
		}
		if joined == "" {
			at = i + 1
		}
		if part, more := strings.CutSuffix(text, `\`); more {
			joined += part
			continue
		}
		if joined+text != "" {
			lines = append(lines, codeLine{at, joined + text})
		}
		joined = ""
	}
	return lines
}

// shellWords splits at blanks outside quotes; that is all the documents need.
func shellWords(line string) ([]string, error) {
	var words []string
	word, open, quote := "", false, rune(0)
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word += string(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == ' ' || c == '\t':
			if open || word != "" {
				words = append(words, word)
			}
			word, open = "", false
		default:
			word += string(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is not closed in %q", line)
	}
	if open || word != "" {
		words = append(words, word)
	}
	return words, nil
}
