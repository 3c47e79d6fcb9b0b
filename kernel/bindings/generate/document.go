package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/printer"
	"go/token"
	"strings"
)

// documentation returns declaration and comment of all that a package exports, by name. It changes the syntax trees.
func documentation(p *loaded) (map[string]string, error) {
	d, err := doc.NewFromFiles(p.fset, p.files, p.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	c := &collector{fset: p.fset, docs: map[string]string{}}
	c.add("", "package "+d.Name+" // import \""+p.path+"\"", d.Doc)
	c.values(d.Consts)
	c.values(d.Vars)
	c.functions("", d.Funcs)
	for _, t := range d.Types {
		c.values(t.Consts)
		c.values(t.Vars)
		c.functions("", t.Funcs)
		c.functions(t.Name+".", t.Methods)
		var methods []string
		for _, method := range t.Methods {
			methods = append(methods, c.print(withoutBody(method.Decl)))
		}
		declaration := c.print(&ast.GenDecl{Tok: token.TYPE, Specs: t.Decl.Specs, Lparen: 0})
		if len(methods) > 0 {
			declaration += "\n\n" + strings.Join(methods, "\n")
		}
		c.add(t.Name, declaration, t.Doc)
		for _, spec := range t.Decl.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				c.members(t.Name, spec.Type)
			}
		}
	}
	return c.docs, c.err
}

// members documents the methods of an interface, and the fields of a struct that have a comment.
func (c *collector) members(owner string, t ast.Expr) {
	switch t := t.(type) {
	case *ast.InterfaceType:
		for _, f := range t.Methods.List {
			signature, ok := f.Type.(*ast.FuncType)
			if !ok {
				continue // embedded
			}
			for _, name := range f.Names {
				declaration := "func (" + owner + ") " + name.Name + strings.TrimPrefix(c.print(signature), "func")
				c.add(owner+"."+name.Name, declaration, comment(f.Doc, f.Comment))
			}
		}
	case *ast.StructType:
		for _, f := range t.Fields.List {
			text := comment(f.Doc, f.Comment)
			if text == "" {
				continue
			}
			for _, name := range f.Names {
				if ast.IsExported(name.Name) {
					c.add(owner+"."+name.Name, "field "+owner+"."+name.Name+" "+c.print(f.Type), text)
				}
			}
		}
	}
}

// comment joins the comments above and after a declaration.
func comment(groups ...*ast.CommentGroup) string {
	text := ""
	for _, group := range groups {
		if group != nil {
			text += group.Text()
		}
	}
	return strings.TrimSpace(text)
}

type collector struct {
	fset *token.FileSet
	docs map[string]string
	err  error
}

func (c *collector) add(name, declaration, comment string) {
	text := strings.TrimSpace(declaration)
	if comment = strings.TrimSpace(comment); comment != "" {
		text += "\n\n" + comment
	}
	c.docs[name] = text
}

func (c *collector) functions(prefix string, functions []*doc.Func) {
	for _, f := range functions {
		c.add(prefix+f.Name, c.print(withoutBody(f.Decl)), f.Doc)
	}
}

// values documents constants and variables. A member of a group is shown alone, with its own comment and the group's.
func (c *collector) values(values []*doc.Value) {
	for _, v := range values {
		for _, spec := range v.Decl.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			text := comment(value.Doc, value.Comment)
			bare := *value
			bare.Doc, bare.Comment = nil, nil
			declaration := v.Decl.Tok.String() + " " + c.print(&bare)
			for _, name := range value.Names {
				if ast.IsExported(name.Name) {
					c.add(name.Name, declaration, strings.TrimSpace(text+"\n\n"+v.Doc))
				}
			}
		}
	}
}

func withoutBody(f *ast.FuncDecl) *ast.FuncDecl {
	bare := *f
	bare.Body, bare.Doc = nil, nil
	return &bare
}

// print formats a declaration as gofmt does. It cuts long tables of values, which document nothing.
func (c *collector) print(node any) string {
	var b bytes.Buffer
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	if err := config.Fprint(&b, c.fset, node); err != nil && c.err == nil {
		c.err = err
	}
	text := b.String()
	if _, isValue := node.(*ast.ValueSpec); isValue && strings.Count(text, "\n") > 10 {
		text = strings.Join(strings.Split(text, "\n")[:3], "\n") + "\n\t..."
	}
	return text
}
