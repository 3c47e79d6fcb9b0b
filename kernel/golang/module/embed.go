package module

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Embedded is a file that a package embeds. Folders have a name that ends with a slash, and no text.
type Embedded struct {
	Name string
	Text string
}

// Embed returns the files that the text of a directive go:embed names, with the folders that hold them, in the order of
// embed.FS.
func (p *Package) Embed(directive string) ([]Embedded, error) {
	patterns, err := split(directive)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, pattern := range patterns {
		if err := p.match(pattern, names); err != nil {
			return nil, fmt.Errorf("pattern %s: %w", pattern, err)
		}
	}
	root := os.DirFS(p.Dir)
	var files []Embedded
	folders := map[string]bool{}
	for name := range names {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		files = append(files, Embedded{name, string(text)})
		for dir := path.Dir(name); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
			files = append(files, Embedded{Name: dir + "/"})
		}
	}
	slices.SortFunc(files, func(a, b Embedded) int {
		aDir, aName := path.Split(strings.TrimSuffix(a.Name, "/"))
		bDir, bName := path.Split(strings.TrimSuffix(b.Name, "/"))
		if c := strings.Compare(strings.TrimSuffix(aDir, "/"), strings.TrimSuffix(bDir, "/")); c != 0 {
			return c
		}
		return strings.Compare(aName, bName)
	})
	return files, nil
}

// split finds the patterns of a directive, which may be quoted.
func split(text string) (patterns []string, err error) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := strings.IndexAny(text, " \t")
		if text[0] == '"' || text[0] == '`' {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, fmt.Errorf("pattern %s: %w", text, err)
			}
			pattern, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
			patterns, text = append(patterns, pattern), text[len(quoted):]
			continue
		}
		if end < 0 {
			end = len(text)
		}
		patterns, text = append(patterns, text[:end]), text[end:]
	}
	if len(patterns) == 0 {
		return nil, errors.New("a directive go:embed without a pattern")
	}
	return patterns, nil
}

// match adds the files that a pattern names: those of a folder without hidden ones, unless it begins with "all:".
func (p *Package) match(pattern string, names map[string]bool) error {
	glob, all := strings.CutPrefix(pattern, "all:")
	root := os.DirFS(p.Dir)
	if !fs.ValidPath(glob) {
		return errors.New("it leads out of the package")
	}
	matches, err := fs.Glob(root, glob)
	if err != nil {
		return err
	}
	before := len(names)
	for _, match := range matches {
		err := fs.WalkDir(root, match, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			base := path.Base(name)
			isHidden := name != match && !all && (base[0] == '.' || base[0] == '_')
			if d.IsDir() {
				_, err := fs.Stat(root, path.Join(name, "go.mod")) // another module
				if isHidden || err == nil && name != "." {
					return fs.SkipDir
				}
				return nil
			}
			if d.Type().IsRegular() && !isHidden {
				names[name] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(names) == before && len(matches) == 0 {
		return errors.New("no matching files found")
	}
	return nil
}
