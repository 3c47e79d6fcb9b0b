// Package hinttest checks the tables that put hints into words.
package hinttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
)

// EveryActionHasWords reads the actions from source, the path of hint.go. It fails if one has no words or if words have
// no action.
func EveryActionHasWords(t *testing.T, source string, words map[hint.Action]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
	expect.NoError(t, err)
	actions := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Action" {
			return true
		}
		action, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		expect.NoError(t, err)
		actions++
		if words[hint.Action(action)] == "" {
			t.Errorf("no words for the action %q", action)
		}
		return true
	})
	if actions == 0 || actions != len(words) {
		t.Errorf("%d actions, %d with words", actions, len(words))
	}
}
