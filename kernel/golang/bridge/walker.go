package bridge

import (
	"fmt"
	"io"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// Printer prepares arguments of package fmt: compiled code sees neither the names of cell types nor their methods.
type Printer struct {
	S     Session
	Types *layout.Types
}

// walker prints one value.
type walker struct {
	*Printer
	state fmt.State
	verb  rune
}

func (w *walker) text(s string) { _, _ = io.WriteString(w.state, s) }

func (w *walker) sharp() bool { return w.verb == 'v' && w.state.Flag('#') }

// ownVerbs take the place of verbs that package fmt answers without asking the argument.
var ownVerbs = map[byte]rune{'T': 'Ŧ', 'p': 'Ƥ'}
