package main

import (
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"strings"
)

// cutPage lists the kinds of cuts in the order of eval.Kind, each with what its type says, and the metrics.
func cutPage(root string) (string, error) {
	s, err := read(root, "spherE/eval", true)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Cuts and metrics\n\nFrom the comments of package `eval`. " +
		"[What tables mean](table.md) has the same in a few lines.\n\n## Cuts\n\n")
	kinds, err := s.kinds()
	if err != nil {
		return "", err
	}
	for _, k := range kinds {
		t, err := s.typeOf(k.typeName)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "### %s\n\n`%s`\n\n%s\n", k.typeName, strings.Join(k.names, "`, `"), s.markdown(t.Doc))
	}
	b.WriteString("## Metrics\n\nA metric is logged as SPLIT/CUT/SIDE\\_METRIC, such as `test/top-10/head_f1`; the " +
		"run's own cut has no part CUT. `_lo` and `_hi` are the ends of its 95 % interval.\n\n")
	for _, name := range []string{"Scores", "RankScores"} {
		t, err := s.typeOf(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", s.markdown(t.Doc))
		fields := t.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType).Fields.List
		for _, f := range fields {
			key, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
			about := plain(f.Comment.Text())
			if about != "" {
				about = ": " + about
			}
			fmt.Fprintf(&b, "- `%s`%s\n", key, about)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

type kind struct {
	typeName string
	names    []string
}

// kinds reads the comments of the constants of type Kind: `Top: "top-10"`.
func (s *source) kinds() ([]kind, error) {
	t, err := s.typeOf("Kind")
	if err != nil {
		return nil, err
	}
	var list []kind
	for _, group := range t.Consts {
		for _, spec := range group.Decl.Specs {
			v := spec.(*ast.ValueSpec)
			name, about, found := strings.Cut(strings.TrimSpace(v.Comment.Text()), ": ")
			k := kind{typeName: name}
			if !found || strings.Contains(name, `"`) { // lookup's type is not exported; its comment begins with names
				k.typeName, about = "lookup", name
			}
			for i, part := range strings.Split(about, `"`) {
				if i%2 == 1 {
					k.names = append(k.names, part)
				}
			}
			if len(k.names) == 0 {
				return nil, fmt.Errorf("the comment of %s names no cut", v.Names[0].Name)
			}
			list = append(list, k)
		}
	}
	return list, nil
}

// restPage lists the paths that the server answers, as its tables of routes have them.
func restPage(root string) (string, error) {
	var b strings.Builder
	b.WriteString("# Paths of the server\n\nWhat `tracker serve` and `ui` answer. [The tracker](tracker.md) says how " +
		"clients and tokens work.\n\n## MLflow's REST API\n\nBelow `/api/2.0/`, and `/ajax-api/2.0/` for the same.\n\n" +
		"| path | methods |\n|---|---|\n")
	s, err := read(root, "tracker/server/mlflow", true)
	if err != nil {
		return "", err
	}
	methods := map[string]string{"get": "GET", "post": "POST", "both": "GET, POST"}
	count := 0
	s.each(func(n ast.Node) {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		path, isText := literal(pair.Key)
		call, isCall := pair.Value.(*ast.CallExpr)
		if !isText || !isCall {
			return
		}
		if by, ok := call.Fun.(*ast.Ident); ok && methods[by.Name] != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", path, methods[by.Name])
			count++
		}
	})
	b.WriteString("| `mlflow-artifacts/artifacts/PATH` | GET, PUT, DELETE |\n\n## Pages, charts and files\n\n" +
		"| path | method |\n|---|---|\n")
	if s, err = read(root, "tracker/web", true); err != nil {
		return "", err
	}
	s.each(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return
		}
		if by, ok := call.Fun.(*ast.SelectorExpr); !ok || by.Sel.Name != "HandleFunc" {
			return
		}
		route, end := call.Args[0], ""
		if sum, ok := route.(*ast.BinaryExpr); ok { // one path for each format of a chart
			route, end = sum.X, "{format}"
		}
		text, isText := literal(route)
		method, path, found := strings.Cut(text, " ")
		if isText && found && path != "/" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSuffix(path, "{$}")+end, method)
			count++
		}
	})
	if count < 40 {
		return "", fmt.Errorf("only %d paths were found", count)
	}
	return b.String(), nil
}

// cellPage is the text of %help.
func cellPage(root string) (string, error) {
	s, err := read(root, "kernel/command", true)
	if err != nil {
		return "", err
	}
	text := ""
	s.each(func(n ast.Node) {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "help" && len(v.Values) == 1 {
			text, _ = literal(v.Values[0])
		}
	})
	if text == "" {
		return "", fmt.Errorf("the text of %%help was not found")
	}
	return "# Commands of cells\n\nWhat `%help` prints in a notebook. [The kernel](kernel.md) has more about Go in " +
		"cells. `%%sql` as the first line runs [a query](sql.md).\n\n```text\n" + strings.TrimSpace(text) + "\n```\n", nil
}

// apiPackages are those that docs/library.md and notebooks speak of.
var apiPackages = []string{"spherE", "spherE/kg", "spherE/eval", "spherE/retrieve", "spherE/ask", "spherE/stack",
	"spherE/rule", "spherE/inductive", "tracker", "tracker/open", "experiments/lab", "chart", "kernel/display"}

// apiPage lists the exported names of packages, each with the first sentence of its comment.
func apiPage(root string) (string, error) {
	var b strings.Builder
	b.WriteString("# Go API\n\nExported names with the first sentence of their comments; `go doc PACKAGE.NAME` prints " +
		"the rest. [Programs](library.md) shows how they are used.\n\n")
	for _, folder := range apiPackages {
		s, err := read(root, folder, false)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "## %s\n\n`import \"%s\"`\n\n%s\n\n", s.Name, s.ImportPath, plain(s.Synopsis(s.Doc)))
		line := func(depth int, name, comment string) {
			fmt.Fprintf(&b, "%s- `%s`: %s\n", strings.Repeat("  ", depth), name, plain(s.Synopsis(comment)))
		}
		for _, f := range s.Funcs {
			line(0, "func "+f.Name, f.Doc)
		}
		for _, t := range s.Types {
			line(0, "type "+t.Name, t.Doc)
			for _, f := range slices.Concat(t.Funcs, t.Methods) {
				name := f.Name
				if f.Recv != "" {
					name = strings.Trim(f.Recv, "*") + "." + name
				}
				line(1, name, f.Doc)
			}
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// each visits all syntax of the package, file by file in the order of their names.
func (s *source) each(visit func(ast.Node)) {
	slices.SortFunc(s.files, func(x, y *ast.File) int {
		return strings.Compare(s.set.Position(x.Pos()).Filename, s.set.Position(y.Pos()).Filename)
	})
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool { visit(n); return true })
	}
}
