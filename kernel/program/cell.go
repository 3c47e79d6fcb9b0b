package program

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/kernel/golang/cell"
)

// body returns the statements of a cell, and notes its declarations.
func (w *writer) body(p page) (string, error) {
	var b strings.Builder
	for i, part := range p.parts {
		var text string
		var err error
		if part.facts == nil {
			text, err = w.command(p.number, part)
		} else {
			text, err = w.code(p.number, part, i == len(p.parts)-1)
		}
		if err != nil {
			return "", err
		}
		b.WriteString(text + "\n")
	}
	return b.String(), nil
}

// command returns a command as statements.
func (w *writer) command(number int, p part) (string, error) {
	name, rest, _ := strings.Cut(p.Text, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "%get":
		if rest == "" {
			return "", nil // it lists modules
		}
		return "// The program's go.mod has to require what this adds to the notebook's: " + p.Text, nil
	case "%go111module":
		return "", nil
	case "%%sql":
		w.usesTracker = true
		return fmt.Sprintf("%[1]s.Show(%[1]s.SQL(%[2]s))", w.labName(), quoted(strings.TrimSpace(rest+"\n"+p.Body))), nil
	case "%%writefile", "%writefile":
		path := strings.Trim(rest, `"'`)
		if path == "" || strings.HasPrefix(path, "-") {
			break
		}
		body := p.Body
		if body != "" && !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		return fmt.Sprintf("%s.Check(%s.WriteFile(%q, []byte(%s), 0o644))\n%s.Println(%q)", w.labName(),
			w.names.imported("os", "os"), path, quoted(body), w.names.imported("fmt", "fmt"),
			fmt.Sprintf("wrote %d bytes to %s", len(body), path)), nil
	}
	if strings.HasPrefix(p.Text, "?") || strings.HasSuffix(p.Text, "?") {
		return "", nil // documentation
	}
	return "", &Error{number, p.Line, fmt.Sprintf("a program has no %s; take it out of the notebook first", name)}
}

// quoted returns a literal of a string, over several lines where that can be read.
func quoted(text string) string {
	if strings.Contains(text, "\n") && !strings.ContainsAny(text, "`\r") {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// code returns the statements of a part.
func (w *writer) code(number int, p part, isLast bool) (string, error) {
	file := token.NewFileSet()
	statements, head, err := parseStatements(file, p)
	if err != nil {
		return "", err
	}
	at := func(pos token.Pos) int { return file.Position(pos).Offset - head }
	edits, err := w.renamed(number, p)
	if err != nil {
		return "", err
	}
	for i, s := range statements {
		edits = append(edits, w.statement(p, at, s, isLast && i == len(statements)-1 && endsWithStatement(p))...)
	}
	// Declarations go to the package, and the text of the cell loses them.
	text := p.Text
	var removed []edit
	for _, item := range p.facts.Items {
		if item.IsStatement {
			continue
		}
		begin := beginOfComment(text, item.Begin)
		removed = append(removed, edit{begin, item.End, ""})
		if err := w.noteMethod(number, p, item); err != nil {
			return "", err
		}
		if !item.IsImport && !isDropped(p, item) {
			w.declarations = append(w.declarations, apply(text[begin:item.End], within(edits, begin, item.End)))
		}
	}
	return strings.TrimSpace(apply(text, append(removed, outside(edits, removed)...))), nil
}

// noteMethod refuses a method that a cell has declared already: the cells between would have called that one.
func (w *writer) noteMethod(number int, p part, item cell.Item) error {
	const opening = "package p\n"
	text := p.Text[item.Begin:item.End]
	parsed, err := parser.ParseFile(token.NewFileSet(), "", opening+text, parser.SkipObjectResolution)
	if err != nil || len(parsed.Decls) != 1 {
		return nil // not a function: go/format reports what is wrong
	}
	f, ok := parsed.Decls[0].(*ast.FuncDecl)
	if !ok || f.Recv == nil {
		return nil
	}
	receiver := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && receiver == "" {
			receiver = w.names.of(p.facts.Objects[item.Begin+int(id.Pos()-parsed.FileStart)-len(opening)])
		}
		return receiver == ""
	})
	method := receiver + "." + f.Name.Name
	if before := w.methods[method]; before > 0 && receiver != "" {
		line := p.Line + strings.Count(p.Text[:item.Begin], "\n")
		return &Error{number, line, fmt.Sprintf("method %s is that of cell %d again, and a program has one; keep the last one, "+
			"in the first place", method, before)}
	}
	w.methods[method] = number
	return nil
}

func endsWithStatement(p part) bool {
	items := p.facts.Items
	return len(items) > 0 && items[len(items)-1].IsStatement
}

// parseStatements parses the statements of a part; head is the offset of its text in the parsed one.
func parseStatements(file *token.FileSet, p part) (list []ast.Stmt, head int, err error) {
	text := []byte(p.Text)
	blank := bytes.Repeat([]byte(" "), len(text))
	for i, c := range text {
		if c == '\n' {
			blank[i] = c
		}
	}
	for _, item := range p.facts.Items {
		if item.IsStatement {
			copy(blank[item.Begin:item.End], text[item.Begin:item.End])
		}
	}
	const opening = "package p; func _() {\n"
	parsed, err := parser.ParseFile(file, "", opening+string(blank)+"\n}", 0)
	if err != nil {
		return nil, 0, err
	}
	return parsed.Decls[0].(*ast.FuncDecl).Body.List, len(opening), nil
}

// beginOfComment returns where the lines of comment directly above an item begin.
func beginOfComment(text string, begin int) int {
	for {
		line := strings.LastIndexByte(text[:begin], '\n')
		if line < 0 || strings.TrimSpace(text[line:begin]) != "" {
			return begin
		}
		above := strings.LastIndexByte(text[:line], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(text[above:line]), "//") {
			return begin
		}
		begin = above
		if above == 0 {
			return 0
		}
	}
}

// isDropped reports whether a declaration repeats a type as it is, which the session leaves out.
func isDropped(p part, item cell.Item) bool {
	words := identifiers(p.Text[item.Begin:item.End])
	if !strings.HasPrefix(p.Text[item.Begin:], "type") || len(words) == 0 {
		return false
	}
	for offset := range p.facts.Objects {
		if offset > item.Begin && offset < item.End {
			return false
		}
	}
	return true
}

func within(edits []edit, begin, end int) (list []edit) {
	for _, e := range edits {
		if e.begin >= begin && e.end <= end {
			list = append(list, edit{e.begin - begin, e.end - begin, e.text})
		}
	}
	return list
}

func outside(edits, removed []edit) (list []edit) {
next:
	for _, e := range edits {
		for _, r := range removed {
			if e.begin >= r.begin && e.end <= r.end && r.end > r.begin {
				continue next
			}
		}
		list = append(list, e)
	}
	return list
}

// renamed returns the edits of identifiers: new names, and packages that a program has under another path.
func (w *writer) renamed(number int, p part) (edits []edit, err error) {
	for offset, obj := range p.facts.Objects {
		name := identifierAt(p.Text, offset)
		text := name
		switch {
		case w.names.of(obj) != "":
			text = w.names.of(obj)
		case obj.Pkg() != nil && obj.Pkg().Path() == cell.SessionPath:
			if text, err = w.session(number, p, offset, name); err != nil {
				return nil, err
			}
		default:
			pkg, ok := obj.(*types.PkgName)
			if !ok {
				continue
			}
			text = w.qualifier(p, pkg, offset+len(name))
		}
		if text != name {
			edits = append(edits, edit{offset, offset + len(name), text})
		}
	}
	return edits, nil
}

func identifierAt(text string, offset int) string {
	if list := identifiers(text[offset:]); len(list) > 0 {
		return list[0]
	}
	return ""
}

// session returns what a program has for a name that cells have without an import.
func (w *writer) session(number int, p part, offset int, name string) (string, error) {
	switch name {
	case "ctx":
		w.usesContext = true
		return name, nil
	case "Display":
		return w.labName() + ".Display", nil
	}
	line := p.Line + strings.Count(p.Text[:offset], "\n")
	return "", &Error{number, line, fmt.Sprintf("a program has no %s; take it out of the notebook first", name)}
}

// qualifier returns the name of the package for what is selected from it at an offset behind the name in the cell.
func (w *writer) qualifier(p part, pkg *types.PkgName, end int) string {
	path := pkg.Imported().Path()
	dot := end + strings.IndexByte(p.Text[end:], '.') + 1
	dot += len(p.Text[dot:]) - len(strings.TrimLeft(p.Text[dot:], " \t\n"))
	selected := identifierAt(p.Text, dot)
	_, isType := p.facts.Objects[dot].(*types.TypeName)
	if path == w.lab.Cells && w.lab.Functions[selected] && !isType || path+"."+selected == w.lab.SQL {
		w.usesTracker = true
		return w.labName()
	}
	return w.names.typePackage(path, pkg.Name())
}

// statement returns the edits of a statement at the top of a cell.
func (w *writer) statement(p part, at func(token.Pos) int, s ast.Stmt, isLast bool) []edit {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return []edit{{at(s.TokPos), at(s.TokPos) + len(":="), "="}}
		}
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			return w.assigned(p, at, d)
		}
	case *ast.ExprStmt:
		_, isCall := ast.Unparen(s.X).(*ast.CallExpr)
		switch {
		case isLast && p.facts.HasValue:
			return []edit{{at(s.Pos()), at(s.Pos()), w.labName() + ".Show("}, {at(s.End()), at(s.End()), ")"}}
		case !isCall && !isReceive(s.X):
			return []edit{{at(s.Pos()), at(s.Pos()), "_ = "}}
		}
	}
	return nil
}

func isReceive(x ast.Expr) bool {
	u, ok := ast.Unparen(x).(*ast.UnaryExpr)
	return ok && u.Op == token.ARROW
}

// assigned turns a declaration of variables, which are the package's, into assignments.
func (w *writer) assigned(p part, at func(token.Pos) int, d *ast.GenDecl) (edits []edit) {
	begin := at(d.Pos())
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) == 0 {
			edits = append(edits, edit{begin, at(spec.End()), ""})
		} else {
			var left []string
			for _, id := range spec.Names {
				name := id.Name
				if chosen := w.names.of(p.facts.Objects[at(id.Pos())]); chosen != "" {
					name = chosen
				}
				left = append(left, name)
			}
			edits = append(edits, edit{begin, at(spec.Values[0].Pos()), "\n" + strings.Join(left, ", ") + " = "})
		}
		begin = at(spec.End())
	}
	return append(edits, edit{begin, at(d.End()), ""})
}
