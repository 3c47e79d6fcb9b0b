// Crosscheck reads all packages of a module, tests included, as they are built for another platform. It reports what
// does not type-check there, what go vet finds, and functions that have no body. Nothing is compiled: the types of
// dependencies come from their sources. Faults that only a linker finds stay hidden.
//
//	crosscheck DIR GOOS/GOARCH[=PATTERN,...]...
//
// With patterns, it reads these packages and what they import, without tests.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: crosscheck DIR GOOS/GOARCH[=PATTERN,...]...")
		os.Exit(2)
	}
	code := 0
	for _, platform := range os.Args[2:] {
		faults, count, err := check(os.Args[1], platform)
		if err != nil {
			fmt.Fprintf(os.Stderr, "crosscheck: %s: %v\n", platform, err)
			os.Exit(2)
		}
		for _, fault := range faults {
			fmt.Println(fault)
			code = 1
		}
		fmt.Printf("%s: %d packages, %d faults\n", platform, count, len(faults))
	}
	os.Exit(code)
}

// check returns the faults of the packages below dir on a platform, and the number of packages.
func check(dir, platform string) (faults []string, count int, err error) {
	platform, list, chosen := strings.Cut(platform, "=")
	patterns := []string{"./..."}
	if chosen {
		patterns = strings.Split(list, ",")
	}
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, 0, errors.New("a platform has the form GOOS/GOARCH")
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, 0, err
	}
	own := dir + string(filepath.Separator)
	found, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule | packages.NeedEmbedFiles,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		Tests: !chosen,
		// Bodies of dependencies' functions are left out: they take most of the time and memory.
		ParseFile: func(set *token.FileSet, name string, source []byte) (*ast.File, error) {
			if strings.HasPrefix(name, own) || filepath.Ext(name) != ".go" { // a test's main lies in the build cache
				return parser.ParseFile(set, name, source, parser.AllErrors|parser.ParseComments)
			}
			file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
			if file != nil {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
						f.Body.List = nil
					}
				}
			}
			return file, err
		},
	}, patterns...)
	if err != nil {
		return nil, 0, err
	}
	if len(found) == 0 {
		return nil, 0, fmt.Errorf("no packages in %s", dir)
	}
	seen := map[string]bool{}
	add := func(fault string) {
		if !seen[fault] { // a file belongs to its package and to the test of it
			seen[fault] = true
			faults = append(faults, platform+": "+fault)
		}
	}
	packages.Visit(found, nil, func(p *packages.Package) {
		p.IllTyped = false // a dependency lacks its bodies, so its imports seem unused
		for _, e := range p.Errors {
			if e.Kind == packages.ListError || p.Module != nil && p.Module.Main {
				add(e.Error())
			}
		}
	})
	if len(faults) > 0 { // analyzers need correct types
		return faults, len(found), nil
	}
	graph, err := checker.Analyze(vet.Suite, found, nil)
	if err != nil {
		return nil, 0, err
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			return nil, 0, root.Err
		}
		for _, d := range root.Diagnostics {
			add(fmt.Sprintf("%s: %s", root.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	for _, p := range found {
		missing, err := bodiless(p)
		if err != nil {
			return nil, 0, err
		}
		for _, fault := range missing {
			add(fault)
		}
	}
	return faults, len(found), nil
}

var assembled = regexp.MustCompile(`(?m)^TEXT\s+·(\w+)`)

// bodiless returns the functions of a package that have neither a Go body nor assembly, and are not linked to those of
// another package. Type-checking accepts them.
func bodiless(p *packages.Package) ([]string, error) {
	inAssembly := map[string]bool{}
	for _, file := range p.OtherFiles {
		if filepath.Ext(file) != ".s" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range assembled.FindAllSubmatch(text, -1) {
			inAssembly[string(m[1])] = true
		}
	}
	var faults []string
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil && !inAssembly[f.Name.Name] && !linked(f) {
				faults = append(faults, fmt.Sprintf("%s: function %s has no body", p.Fset.Position(f.Pos()),
					f.Name.Name))
			}
		}
	}
	return faults, nil
}

// linked reports whether a directive names the function of another package that takes the place of a body.
func linked(f *ast.FuncDecl) bool {
	return f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool {
		words := strings.Fields(c.Text)
		return len(words) == 3 && words[0] == "//go:linkname" && words[1] == f.Name.Name
	})
}
