package kg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
)

// columnUse is what the columns of triples hold, as they were read: head, relation, tail. The order is that of the
// columns of a line.
type columnUse struct {
	names  [3]int // distinct
	shared [3]int // names that another column has too
	lines  int
	// numbers reports whether all names of the last column, and not all of the middle one, are numbers.
	isNumeric bool
}

// use counts what the columns of the triples hold.
func (b *builder) use(lists ...[]Triple) columnUse {
	heads, tails := make([]bool, len(b.entities.list)), make([]bool, len(b.entities.list))
	relations := make([]bool, len(b.relations.list))
	var u columnUse
	for _, list := range lists {
		u.lines += len(list)
		for _, t := range list {
			heads[t.Head], tails[t.Tail], relations[t.Relation] = true, true, true
		}
	}
	numeric := true
	for id, name := range b.entities.list {
		_, isRelation := b.relations.ids[name]
		for c, isHere := range [2]bool{heads[id], tails[id]} {
			if isHere {
				u.names[2*c]++
				if isRelation || heads[id] && tails[id] {
					u.shared[2*c]++
				}
			}
		}
		numeric = numeric && (!tails[id] || number(name))
	}
	all := true
	for id, name := range b.relations.list {
		if relations[id] {
			u.names[1]++
			if _, ok := b.entities.ids[name]; ok {
				u.shared[1]++
			}
			all = all && number(name)
		}
	}
	u.isNumeric = numeric && !all
	return u
}

func number(name string) bool {
	_, err := strconv.ParseFloat(name, 64)
	return err == nil
}

// The middle column is taken for entities, and another column for the relation, on two conditions: at least
// minSharedShare of the middle column's names are in other columns, and the other column shares no name and has at most
// maxRelationShare times as many. If the middle column shares fewer names, both readings are possible as soon as it has
// manyRelations names and doubtfulShare of them are elsewhere.
const (
	minSharedShare   = .1
	maxRelationShare = .5
	manyRelations    = 20
	doubtfulShare    = .1
)

// relationColumn finds the column that holds the relation, of triples that were read with the relation in the middle.
// doubtful means that the middle column may be right as well.
func (u columnUse) relationColumn() (column int, doubtful bool) {
	hasEntities := u.names[1] > 2 && float64(u.shared[1]) >= minSharedShare*float64(u.names[1])
	for _, c := range []int{2, 0} {
		share := float64(u.names[c]) / float64(max(1, u.names[1]))
		switch {
		case u.shared[c] > 0:
		case hasEntities && share <= maxRelationShare:
			return c, false
		case u.names[1] >= manyRelations && share <= doubtfulShare:
			return c, true
		}
	}
	return 1, false
}

// look rearranges columns that were found by their number, if they hold something else.
func (f *tripleFile) look() error {
	if f.isPlain {
		f.b.parts[0] = part{file: f.path, triples: f.triples, lines: f.lines}
		f.b.warnOfQuotes()
	}
	if !f.isPlaced || f.reading.Relation != "" {
		return nil
	}
	u := f.b.use(f.triples)
	if f.isCounted && u.shared[0] == 0 && 2*u.names[1] > u.lines {
		return f.ask(0, hint.NameColumns, "-,head,tail", "the first column counts the lines, which leaves two, head and tail;"+
			" one relation for all lines is needed as well")
	}
	return f.b.arrange(f.path, u, f.triples)
}

// arrange puts the columns of triples in their places, or returns an error if there are two ways to do so. It changes
// the triples and the names.
func (b *builder) arrange(file string, u columnUse, lists ...[]Triple) error {
	fail := func(orders []string, format string, args ...any) error {
		var hints []hint.Hint
		for _, order := range orders {
			hints = append(hints, hint.Hint{Action: hint.NameColumns, Subject: order})
		}
		return hint.With(&FileError{File: file, Message: fmt.Sprintf(format, args...)}, hints...)
	}
	column, doubtful := u.relationColumn()
	if column == 1 {
		if u.isNumeric && u.shared[2] == 0 && u.names[1] > 2 &&
			float64(u.shared[1]) >= minSharedShare*float64(u.names[1]) {
			return fail([]string{"head,tail,-"}, "the third column has only numbers, and names of the second are also in the first:"+
				" this looks like pairs with weights, which need one relation for all lines")
		}
		return nil
	}
	place, words := [3]string{"first", "second", "third"}[column], "head,tail,relation"
	if column == 0 {
		words = "relation,head,tail"
	}
	if doubtful {
		return fail([]string{words, "head,relation,tail"}, "the second column would be the relation, with %d names in %s, but"+
			" the %s has %d: which holds the relation?", u.names[1], quantity.CountOf(u.lines, "line", "lines"), place,
			u.names[column])
	}
	b.warnings = append(b.warnings, Warning{Kind: ColumnsGuessed, File: file, Count: 1, Message: fmt.Sprintf("the %s column"+
		" holds the relation: it has %s, which no other column has; the second has %d, of which %d are in other columns;"+
		" file.columns=head,relation,tail reads the second as the relation", place,
		quantity.CountOf(u.names[column], "name", "names"), u.names[1], u.shared[1])})
	old := *b
	b.entities, b.relations = newBuilder().entities, newBuilder().relations
	for _, list := range lists {
		for i, t := range list {
			head, relation, tail := old.entities.list[t.Head], old.relations.list[t.Relation], old.entities.list[t.Tail]
			if column == 2 {
				relation, tail = tail, relation
			} else {
				head, relation = relation, head
			}
			list[i] = b.triple([]byte(head), []byte(relation), []byte(tail))
		}
	}
	return nil
}

// warnOfQuotes warns of names in double quotes, in files without quotes.
func (b *builder) warnOfQuotes() {
	quoted := func(name string) bool {
		return len(name) > 1 && strings.HasPrefix(name, `"`) && strings.HasSuffix(name, `"`)
	}
	w := Warning{Kind: QuotedName}
	first := ""
	for _, n := range []names{b.entities, b.relations} {
		for _, name := range n.list {
			if quoted(name) {
				w.Count++
			}
		}
	}
	if w.Count == 0 {
		return
	}
	w.at(&b.parts, func(t Triple) bool {
		names := []string{b.entities.list[t.Head], b.relations.list[t.Relation], b.entities.list[t.Tail]}
		at := slices.IndexFunc(names, quoted)
		if at >= 0 {
			first = names[at]
		}
		return at >= 0
	})
	w.Message = fmt.Sprintf("%s in double quotes, which are part of the name, since fields between tabs have no quotes;"+
		" the first is %s; file.quotes=csv takes them off", quantity.CountOf(w.Count, "name is", "names are"), first)
	b.warnings = append(b.warnings, w)
}
