package bridge

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// declarations are types of a cell. The same declarations follow as compiled Go, whose values lie in memory as those of
// the cell do: what compiled Go prints and encodes is what the bridge must.
const declarations = `package main
type Day int
type Pair struct { A int; b string }
type Deep struct { P *Pair; M map[string]Day; L []Pair; E any; F float64; X [2]bool }
type Record struct { ID int ` + "`json:\"id\"`" + `; Note string ` + "`json:\",omitempty\"`" + `
	hidden int; Tags []string; Pair }
type Table map[Day]Pair
type Names []string
`

type (
	Day  int
	Pair struct {
		A int
		b string
	}
	Deep struct {
		P *Pair
		M map[string]Day
		L []Pair
		E any
		F float64
		X [2]bool
	}
	Record struct {
		ID     int    `json:"id"`
		Note   string `json:",omitempty"`
		hidden int
		Tags   []string
		Pair
	}
	Table map[Day]Pair
	Names []string
)

// session is one without cells: types have the methods that a test gives them.
type session struct {
	methods map[reflect.Type]map[string]string
	invoke  func(v any, name string, args, results []unsafe.Pointer)
	looks   int
	changes int
}

func (s *session) Invoke(v any, name string, args, results []unsafe.Pointer) {
	s.invoke(v, name, args, results)
}
func (s *session) Methods(rt reflect.Type) map[string]string  { return s.methods[rt] }
func (s *session) Dynamic(p unsafe.Pointer, _ types.Type) any { return *(*any)(p) }
func (s *session) Look(_ reflect.Value, read func())          { s.looks++; read() }
func (s *session) Change(_ reflect.Value, write func())       { s.changes++; write() }
func (s *session) Still(v any) (still any, other bool)        { return v, false }

// cell has the types of declarations.
type cell struct {
	*session
	table *layout.Types
	scope *types.Scope
}

func newCell(t *testing.T) cell {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "cell.go", declarations, 0)
	expect.NoError(t, err)
	pkg, err := (&types.Config{}).Check("main", fset, []*ast.File{file}, nil)
	expect.NoError(t, err)
	return cell{&session{methods: map[reflect.Type]map[string]string{}}, layout.New(nil), pkg.Scope()}
}

func (c cell) of(name string) reflect.Type { return c.table.Of(c.scope.Lookup(name).Type()) }

// twin is a value of the cell's type that has the name of v's, with v's contents.
func (c cell) twin(v any) any {
	rt := c.of(reflect.TypeOf(v).Name())
	memory := reflect.New(reflect.TypeOf(v))
	memory.Elem().Set(reflect.ValueOf(v))
	return reflect.NewAt(rt, memory.UnsafePointer()).Elem().Interface()
}

// TestPrintsAsCompiled: every verb prints a cell's value as compiled Go prints its twin.
func TestPrintsAsCompiled(t *testing.T) {
	c := newCell(t)
	p := &Printer{S: c, Types: c.table}
	values := []any{
		Day(-3), Pair{1, "x y"}, Deep{}, Table{2: {1, "b"}, -1: {0, ""}}, Table(nil), Names{"a", "b c"}, Names(nil),
		Deep{M: map[string]Day{"z": 1, "a": 2}, L: []Pair{{1, "p"}}, E: 2.5, F: .1, X: [2]bool{true, false}},
		Record{ID: 1, Tags: []string{"t"}, Pair: Pair{A: 2}},
	}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%s", "%x", "%q", "%T", "%t", "%6.2f", "%12v|",
			"%-12v|", "%08d", "%U", "%!", "%v %[1]T"} {
			want := strings.ReplaceAll(fmt.Sprintf(verb, v), "bridge.", "main.")
			if got := p.Formatted(verb, []any{c.twin(v)}); got != want {
				t.Errorf("%s of %T: %s\nwant %s", verb, v, got, want)
			}
		}
		if got, want := p.Text([]any{c.twin(v), 1, "s", c.twin(v)}), fmt.Sprint(v, 1, "s", v); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if c.looks == 0 {
		t.Error("maps are read without a look at who changes them")
	}
	if args := []any{1, "s", []int{2}}; &p.Args(args)[0] != &args[0] {
		t.Error("arguments that print rightly are copied")
	}
}

// TestEncodesAsCompiled: JSON of a cell's value is that of its twin.
func TestEncodesAsCompiled(t *testing.T) {
	c := newCell(t)
	for _, v := range []any{
		Day(4), Pair{1, "x"}, Record{ID: 1, Note: "n", hidden: 3, Tags: []string{"t"}, Pair: Pair{A: 2}}, Record{},
		Table{2: {A: 1}, -1: {}}, Table(nil), Names{"<&>"}, Names(nil), Deep{F: .5, M: map[string]Day{"b": 1, "a": 2}},
	} {
		want, err := json.Marshal(v)
		expect.NoError(t, err)
		var got []byte
		err = (&JSON{S: c, Types: c.table}).Encode(c.twin(v), func(v any) (err error) {
			got, err = json.Marshal(v)
			return err
		})
		if err != nil || string(got) != string(want) {
			t.Errorf("%T: %s %v, want %s", v, got, err, want)
		}
	}
}

// TestDecodesAsCompiled: JSON fills a cell's value as it fills its twin, with the same errors.
func TestDecodesAsCompiled(t *testing.T) {
	for _, x := range []struct {
		into any
		text string
	}{
		{new(Record), `{"id": 7, "Note": "n", "hidden": 1, "Tags": ["a", "b"], "A": 3, "more": null}`},
		{new(Record), `{"ID": 8, "tags": []}`}, {&Record{Tags: []string{"x", "y"}}, `{"Tags": ["z"]}`},
		{new(Record), `{"id": "text", "Note": "after"}`}, {new(Record), `[1]`}, {new(Record), `null`},
		{new(Record), `{"id": 1`},
		{new(Table), `{"2": {"A": 1}, "-3": {}}`}, {&Table{1: {A: 5}}, `{"2": {"A": 1}}`}, {new(Table), `{"x": {}}`},
		{new(Names), `["a", null]`},
		{new(Deep), `{"P": {"A": 2}, "M": {"k": 3}, "L": [{"A": 1}], "E": [1, "x"], "X": [true]}`},
		{new(Day), `3`}, {new(Day), `3.5`},
	} {
		c := newCell(t)
		rt := reflect.TypeOf(x.into).Elem()
		memory := reflect.New(rt)
		memory.Elem().Set(reflect.ValueOf(x.into).Elem())
		if rt.Kind() == reflect.Map && !memory.Elem().IsNil() { // the twins are apart
			m := reflect.MakeMap(rt)
			for it := memory.Elem().MapRange(); it.Next(); {
				m.SetMapIndex(it.Key(), it.Value())
			}
			memory.Elem().Set(m)
		}
		if n, ok := x.into.(*Record); ok {
			memory.Elem().Set(reflect.ValueOf(Record{Tags: slices.Clone(n.Tags)}))
		}
		want := json.Unmarshal([]byte(x.text), x.into)
		target := reflect.NewAt(c.of(rt.Name()), memory.UnsafePointer()).Interface()
		done, err := (&JSON{S: c, Types: c.table}).Decode([]byte(x.text), target, Reading{})
		if !done {
			err = json.Unmarshal([]byte(x.text), target)
		}
		if !reflect.DeepEqual(memory.Interface(), x.into) {
			t.Errorf("%s: %+v, want %+v", x.text, memory.Elem(), reflect.ValueOf(x.into).Elem())
		}
		if got, wanted := fmt.Sprint(err), strings.ReplaceAll(fmt.Sprint(want), "bridge.", "main."); got != wanted {
			t.Errorf("%s: %s, want %s", x.text, got, wanted)
		}
		if rt == reflect.TypeFor[Table]() && want == nil && c.changes == 0 {
			t.Error("a map is changed without a look at who uses it")
		}
	}
}

// TestKeysAreOrdered as package fmt orders them.
func TestKeysAreOrdered(t *testing.T) {
	x, y := 1, 2
	for _, m := range []any{
		map[int8]int{3: 0, -1: 0, 0: 0}, map[uint]int{3: 0, 1: 0}, map[string]int{"b": 0, "a": 0, "": 0},
		map[bool]int{true: 0, false: 0},
		map[float64]int{2.5: 0, -1: 0}, map[complex64]int{1 + 2i: 0, 1: 0, -1 + 5i: 0},
		map[[2]int]int{{1, 2}: 0, {1, 0}: 0, {0, 9}: 0},
		map[Pair]int{{1, "b"}: 0, {1, "a"}: 0, {0, "z"}: 0}, map[any]int{2: 0, 1: 0, nil: 0}, map[*int]int{&x: 0, &y: 0},
	} {
		keys := reflect.ValueOf(m).MapKeys()
		slices.SortFunc(keys, compareKeys)
		var texts []string
		for _, k := range keys {
			texts = append(texts, fmt.Sprint(k)+":0")
		}
		if got, want := "map["+strings.Join(texts, " ")+"]", fmt.Sprint(m); got != want {
			t.Errorf("%T: %s, want %s", m, got, want)
		}
	}
}
