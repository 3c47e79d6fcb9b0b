package cell

import (
	"fmt"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/kernel/golang/module"
)

var (
	undefined  = regexp.MustCompile(`^undefined: (\w+)(?:\.(\w+))?$`)
	noMember   = regexp.MustCompile(`^(.+)\.(\w+) undefined \(type .* has no field or method \w+\)$`)
	notLinked  = regexp.MustCompile(`(?s)^could not import \S+ \((.*)\)$`)
	sameMethod = regexp.MustCompile(`\(wrong type for method \S+\)$`) // go/types has one text for both
	words      = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	ownPackage = regexp.MustCompile(`\bmain\.([\pL_])`)
)

// differing are messages about two types that differ.
var differing = []*regexp.Regexp{
	regexp.MustCompile(`\((?:.*? )?type (.+?)\) as (.+?) value in `),
	regexp.MustCompile(`\(mismatched types (.+) and (.+)\)`),
}

// hint adds to a message of the type checker what the session knows about it.
func (s *Session) hint(message string) string {
	message = strings.Replace(message, " in argument to "+show, "", 1)
	if cause, ok := strings.CutPrefix(message, "in call to "+show+", "); ok {
		message = "cannot show a generic function without its types: " + cause
	}
	message = ownPackage.ReplaceAllString(strings.ReplaceAll(message, "·", ""), "$1")
	if m := notLinked.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	if m := undefined.FindStringSubmatch(message); m != nil {
		if p := s.packageOf(m[1]); p != nil && m[2] != "" {
			if table, _ := s.importer.library.Table(p.Path()); slices.Contains(table.Generic, m[2]) {
				return message + ": packages of your own are linked in without what is generic; declare it in a cell"
			}
			return message + spelling.DidYouMean(m[2], slices.Sorted(maps.Keys(exportedOf(p))))
		}
		return message + s.hintUndefined(m[1])
	}
	if m := noMember.FindStringSubmatch(message); m != nil {
		if t := s.typeOf(m[1], ""); t != nil {
			return message + spelling.DidYouMean(m[2], slices.Sorted(maps.Keys(membersOf(t))))
		}
	}
	if name := s.findTwoTypes(message); name != "" {
		return message + "; these are two types: " + name + " was declared again. Run the cells again that make values of it"
	}
	if len(s.again) > 0 && sameMethod.MatchString(message) {
		return message + "; a type in it was declared again. Run the cells again that make values of it"
	}
	return message
}

// noteRedeclared notes the types that a cell declares again.
func (s *Session) noteRedeclared(declared map[string]bool) {
	for name := range declared {
		if _, ok := s.objects[name].(*types.TypeName); ok {
			s.again[name] = true
		}
	}
}

// findTwoTypes finds a message that has one text for two types, and the name in it that cells have declared again.
func (s *Session) findTwoTypes(message string) string {
	for _, form := range differing {
		m := form.FindStringSubmatch(message)
		if m == nil || m[1] != m[2] {
			continue
		}
		for _, name := range words.FindAllString(m[1], -1) {
			if s.again[name] {
				return name
			}
		}
	}
	return ""
}

func (s *Session) hintUndefined(name string) string {
	if cell, ok := s.missed[name]; ok {
		return "; " + cell + " ended before it declared " + name
	}
	if path, p := s.linkedAs(name); p != nil {
		return fmt.Sprintf("; the package of that name is not imported: import %q", path)
	}
	if many := s.similar(name); len(many) > 0 {
		return "; is its package imported? there are several: " + quoted(many)
	}
	known := slices.Concat(types.Universe.Names(), slices.Collect(maps.Keys(s.objects)),
		slices.Collect(maps.Keys(s.imports)))
	slices.Sort(known)
	return spelling.DidYouMean(name, known)
}

func quoted(list []string) string {
	var all []string
	for _, text := range list {
		all = append(all, strconv.Quote(text))
	}
	return strings.Join(all, " or ")
}

// standard reports whether a path looks like one of the standard library: its first element has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// notLinkedError is the error for a package that is not linked and may be one of a module.
type notLinkedError struct{ text string }

func (e *notLinkedError) Error() string { return e.text }

func (m *importer) newNotLinkedError(path string) error {
	if strings.HasPrefix(path, ".") || strings.HasPrefix(path, "/") {
		return fmt.Errorf("import %q: a notebook cannot import a folder; %%load FILE runs a Go file in the session, and "+
			"%%get FOLDER makes a module in one known", path)
	}
	if standard(path) {
		last := path[strings.LastIndexByte(path, '/')+1:]
		similar := slices.DeleteFunc(m.library.Paths(),
			func(p string) bool { return p[strings.LastIndexByte(p, '/')+1:] != last })
		hint := ""
		if len(similar) > 0 {
			hint = "; did you mean " + quoted(similar) + "?"
		}
		return &notLinkedError{fmt.Sprintf("package %q is not among the standard library's packages that this kernel has%s",
			path, hint)}
	}
	return &notLinkedError{fmt.Sprintf("package %q is not linked into this kernel%s: see docs/kernel.md, \"Linking further "+
		"packages\"", path, m.similarLinked(path))}
}

// similarLinked offers a linked package for one that cannot be imported.
func (m *importer) similarLinked(path string) string {
	return spelling.DidYouMean(path, slices.DeleteFunc(m.library.Paths(), standard))
}

// missingError words the error for a package that is neither linked nor in a required module.
func (m *importer) missingError(e *module.MissingError) error {
	return fmt.Errorf("package %q is not linked into this kernel%s, and %w", e.Path, m.similarLinked(e.Path), e)
}
