package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// mutation replaces a text that stands once in a file.
type mutation struct {
	file     string
	old, new string
	tests    string // the folder of the package whose tests notice it
}

func (m mutation) String() string { return fmt.Sprintf("%s: %s => %s", m.file, m.old, m.new) }

// apply returns the changed source. A text that is not in it exactly once is an error: the list is out of date.
func (m mutation) apply(source string) (string, error) {
	if n := strings.Count(source, m.old); n != 1 {
		return "", fmt.Errorf("%q is in it %d times, not once: correct mutation.txt", m.old, n)
	}
	return strings.Replace(source, m.old, m.new, 1), nil
}

// places is a line with a file, and the folder of other tests.
var places = regexp.MustCompile(`^(\S+\.go)(?: (\S+))?$`)

// parse reads a list: a line with a file, then for each mutation a line "- old" and a line "+ new". Behind the file may
// be the folder whose tests are run, where it is not that of the file. Empty lines and lines that begin with # are
// skipped.
func parse(list string) ([]mutation, error) {
	var all []mutation
	file, old, tests := "", "", ""
	for i, line := range strings.Split(list, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "- ") && file != "" && old == "":
			old = line[2:]
		case strings.HasPrefix(line, "+ ") && old != "":
			all, old = append(all, mutation{file, old, line[2:], tests}), ""
		case places.MatchString(line) && old == "":
			found := places.FindStringSubmatch(line)
			if file, tests = found[1], found[2]; tests == "" {
				tests = path.Dir(file)
			}
		default:
			return nil, fmt.Errorf("mutation.txt:%d: %q is neither a file, nor \"- old\", nor \"+ new\" after it", i+1, line)
		}
	}
	if old != "" {
		return nil, fmt.Errorf("mutation.txt: the last mutation, %q, has no line \"+ new\"", old)
	}
	return all, nil
}
