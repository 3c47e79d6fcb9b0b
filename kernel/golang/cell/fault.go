package cell

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// faults collects the errors of the type checker.
type faults struct {
	known  []types.Error
	isOpen bool // the last one is new, and more places of it may follow
}

func (l *faults) add(err error) {
	var fault types.Error
	if !errors.As(err, &fault) {
		return
	}
	if place, ok := strings.CutPrefix(fault.Msg, "\t"); ok { // go/types reports it as an error of its own
		if l.isOpen {
			at := fault.Fset.Position(fault.Pos)
			l.known[len(l.known)-1].Msg += fmt.Sprintf("\n\t%s:%d: %s", at.Filename, at.Line, place)
		}
		return
	}
	l.isOpen = !unusedImport(fault.Msg) && !slices.ContainsFunc(l.known, func(k types.Error) bool {
		return k.Pos == fault.Pos && strings.HasPrefix(k.Msg, fault.Msg) // what occurs twice in the tree
	})
	if l.isOpen {
		l.known = append(l.known, fault)
	}
}

// unusedImport: what a cell imports may serve later ones.
func unusedImport(message string) bool {
	return strings.HasSuffix(message, "and not used") && strings.Contains(message, " imported ")
}

// first returns the first error in the compiler's words.
func (s *Session) first(list []types.Error) error {
	slices.SortStableFunc(list, func(a, b types.Error) int {
		x, y := s.fset.Position(a.Pos), s.fset.Position(b.Pos)
		return (x.Line-y.Line)*1000 + x.Column - y.Column
	})
	return errorAt(s.fset, list[0].Pos, s.hint(list[0].Msg))
}
