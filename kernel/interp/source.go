package interp

import (
	"go/ast"
	"go/token"
	"sort"
	"strings"
	"sync"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/go/etoken"
)

// fileName stands for the cell in gomacro's messages, which start with file:line:column.
const fileName = "cell"

// keptSources bounds how many cells with functions are remembered for error messages.
const keptSources = 2000

// source is a piece of a cell as it was parsed.
type source struct {
	number    int
	base      token.Pos // of its first byte
	text      string    // as parsed, for positions
	shown     string    // as the user wrote it; its lines are those of text
	firstLine int       // line of the cell at which text begins, from 1
	funcs     []function
}

// function is the extent of a function or closure in a source.
type function struct {
	name       string
	start, end token.Pos
}

// sources remembers code that may still run: that of functions and closures. Each piece has positions of its own, so that a position alone tells the cell.
type sources struct {
	mu   sync.Mutex
	next token.Pos
	list []*source
}

// add registers a piece of code and returns an empty file set whose next file has the piece's positions. A file set for each piece keeps memory flat.
func (s *sources) add(number int, text, shown string, firstLine int) (*source, *etoken.FileSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == 0 {
		s.next = 1
	}
	files := etoken.NewFileSet()
	if s.next > 1 {
		files.FileSet.AddFile("", 1, int(s.next)-2) // the next file's base is then s.next
	}
	src := &source{number: number, base: s.next, text: text, shown: shown, firstLine: firstLine}
	s.next += token.Pos(len(text) + 1)
	s.list = append(s.list, src)
	if len(s.list) > keptSources {
		s.list = append([]*source(nil), s.list[len(s.list)-keptSources:]...)
	}
	return src, files
}

// release forgets a piece whose code cannot run any more: one without functions.
func (s *sources) release(src *source) {
	if len(src.funcs) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i] == src {
			s.list = append(s.list[:i], s.list[i+1:]...)
			return
		}
	}
}

// find returns the source that contains pos, nil if it is unknown.
func (s *sources) find(pos token.Pos) *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].base > pos }) - 1
	if i < 0 || int(pos-s.list[i].base) > len(s.list[i].text) {
		return nil
	}
	return s.list[i]
}

// line returns the cell's line of pos and its text.
func (src *source) line(pos token.Pos) (int, string) {
	offset := int(pos - src.base)
	if offset < 0 || offset > len(src.text) {
		return 0, ""
	}
	n := strings.Count(src.text[:offset], "\n")
	return src.firstLine + n, lineOf(src.shown, n)
}

// lineOf is line n of text, from 0.
func lineOf(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < 0 || n >= len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n], "\r")
}

// function names the innermost function around pos, "" at the top level of the cell.
func (src *source) function(pos token.Pos) string {
	name, size := "", token.Pos(-1)
	for _, f := range src.funcs {
		if f.start <= pos && pos < f.end && (size < 0 || f.end-f.start < size) {
			name, size = f.name, f.end-f.start
		}
	}
	return name
}

// noteFunctions records the functions in nodes.
func (src *source) noteFunctions(nodes []ast.Node) {
	for _, node := range nodes {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name := n.Name.Name
				if n.Recv != nil && len(n.Recv.List) == 1 {
					name = receiver(n.Recv.List[0].Type) + "." + name
				}
				src.funcs = append(src.funcs, function{name, n.Pos(), n.End()})
			case *ast.FuncLit:
				src.funcs = append(src.funcs, function{"func literal", n.Pos(), n.End()})
			}
			return true
		})
	}
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return "(*" + receiver(t.X) + ")"
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// frame is one entry of a call stack of cell functions.
type frame struct {
	number, line int
	text, name   string
}

// calls is a call stack of cell functions, innermost first, with the middle of a long one left out.
type calls struct {
	frames  []frame
	omitted int // after the first shownHead frames
}

// How much of a long call stack is shown.
const (
	shownHead = 12
	shownTail = 4
)

// stack lists the calls that led to env. top is the position of the cell's statement, which an expression at the top level does not keep.
func (s *sources) stack(env *fast.Env, top token.Pos) calls {
	var positions []token.Pos
	for n := 0; env != nil && n < 20*deepest; n++ {
		pos := token.NoPos
		if env.IP >= 0 && env.IP < len(env.DebugPos) {
			pos = env.DebugPos[env.IP]
		}
		body := env
		for body != nil && body.Caller == nil {
			body = body.Outer
		}
		if body == nil && pos == token.NoPos {
			pos = top
		}
		positions = append(positions, pos)
		if body == nil {
			break
		}
		env = body.Caller
	}
	var c calls
	if n := len(positions); n > shownHead+shownTail+1 {
		c.omitted = n - shownHead - shownTail
		positions = append(positions[:shownHead:shownHead], positions[n-shownTail:]...)
	}
	for _, pos := range positions {
		if src := s.find(pos); src != nil {
			f := frame{number: src.number, name: src.function(pos)}
			f.line, f.text = src.line(pos)
			c.frames = append(c.frames, f)
		}
	}
	return c
}
