// Package snippet makes SSA of small files, for tests of packages that compile it.
package snippet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Build makes the SSA of a file of package main without imports. source is what follows the package clause.
func Build(t testing.TB, source string) *ssa.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "snippet.go", "package main\n"+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{GoVersion: "go1.25"}, fset, types.NewPackage("main", "main"),
		[]*ast.File{file}, ssa.InstantiateGenerics|ssa.BareInits|ssa.BuildSerially)
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	return pkg
}

// First finds the first step of a type in function f of a file.
func First[T ssa.Instruction](t testing.TB, source string) (found T) {
	t.Helper()
	for _, block := range Build(t, source).Func("f").Blocks {
		for _, instr := range block.Instrs {
			if i, ok := instr.(T); ok {
				return i
			}
		}
	}
	t.Fatalf("no %T in\n%s", found, source)
	return found
}
