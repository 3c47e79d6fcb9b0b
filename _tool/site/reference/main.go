// Command reference writes pages of the site from the sources: cuts and metrics, REST paths and pages, commands of
// cells, and the Go API. It reads syntax and comments and builds nothing.
//
// usage: go -C _tool run ./site/reference FOLDER
package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: reference FOLDER")
	}
	for name, write := range map[string]func(root string) (string, error){"cut.md": cutPage, "rest.md": restPage,
		"cell.md": cellPage, "api.md": apiPage} {
		text, err := write("..")
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(os.Args[1], name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// source is a package as syntax.
type source struct {
	*doc.Package
	files []*ast.File
	set   *token.FileSet
}

// read parses the files of a folder without tests. Names that are not exported are kept where all is set.
func read(root, folder string, all bool) (*source, error) {
	s := &source{set: token.NewFileSet()}
	packages, err := parser.ParseDir(s.set, filepath.Join(root, folder),
		func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if len(packages) != 1 {
		return nil, fmt.Errorf("%s has %d packages", folder, len(packages))
	}
	mode := doc.Mode(0)
	if all {
		mode = doc.AllDecls
	}
	for _, p := range packages {
		for _, f := range p.Files {
			s.files = append(s.files, f)
		}
		s.Package = doc.New(p, "github.com/spherelab/spherelab/"+folder, mode|doc.PreserveAST)
	}
	return s, nil
}

// markdown returns a comment as markdown. Links between names become text.
func (s *source) markdown(text string) string {
	p := s.Printer()
	p.HeadingLevel = 4
	p.HeadingID = func(*comment.Heading) string { return "" }
	return string(p.Markdown(s.Parser().Parse(text)))
}

// typeOf returns a declared type.
func (s *source) typeOf(name string) (*doc.Type, error) {
	for _, t := range s.Types {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s has no type %s", s.ImportPath, name)
}

// plain keeps markdown from reading marks in a sentence of a comment.
func plain(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "]", `\]`, "|", `\|`, "`", "\\`",
		"$", `\$`).Replace(strings.Join(strings.Fields(text), " "))
}

// literal is the value of a text in the source.
func literal(e ast.Expr) (string, bool) {
	b, ok := e.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(b.Value)
	return text, err == nil
}
