package kg

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/internal/draw"
)

// minDivided is the smallest number of distinct triples with which a file without a split column is divided. Fewer are
// not enough to train on a part and evaluate on the rest.
const minDivided = 50

// Division is how the triples of a file without a split column are divided. Every entity and every relation keeps a
// training triple, so validation and test may get fewer triples than their shares. They then share what can be held
// out, and Graph.Warnings reports it.
type Division struct {
	Reading     Reading // how its columns are read
	Valid, Test float64 // shares of the distinct triples, from 0; the rest is for training
	Seed        uint64
	// Leakless keeps twins in one split: triples of the same two entities by a relation and itself reversed, by inverse
	// relations, or by near duplicates, as Check finds them.
	Leakless bool
	// LeakLimit divides as with Leakless if otherwise a greater share of valid and test has a twin in train. It is from
	// 0 to 1; 0 means no limit.
	LeakLimit float64
	// TestFirst fills test before valid if too few triples can be held out, instead of sharing them. Earlier versions
	// always divided like this.
	TestFirst bool
	// Whole adds what was drawn or given for validation and test to training, see Graph.Whole.
	Whole bool
}

// DefaultDivision draws a tenth for validation and a tenth for test.
func DefaultDivision() Division { return Division{Valid: .1, Test: .1} }

// divide fills the parts of the builder and describes the division.
func (f *tripleFile) divide(d Division) (string, error) {
	for _, s := range Splits() {
		f.b.parts[s] = part{split: s, file: f.path}
	}
	if len(f.triples) > 0 && !f.hasHeading && f.columns[3] < 0 && f.width > 0 {
		f.b.parts[Train].first, f.b.parts[Train].firstLine = &f.triples[0], int(f.lines[0])
	}
	if f.columns[3] >= 0 {
		for i, t := range f.triples {
			f.put(f.splits[i], i, t)
		}
		if len(f.b.parts[Train].triples) == 0 {
			return "", &FileError{File: f.path,
				Message: "the split column has no train; a model needs training triples"}
		}
		return "splits as the file's split column says", nil
	}
	if f.repeats.Count > 0 {
		f.repeats.Kind, f.repeats.File = DuplicateTriple, f.path
		f.repeats.Message = repeat(f.repeats.Count) + " a triple; the first is in this line; each triple counts once"
		f.b.warnings = append(f.b.warnings, f.repeats)
	}
	n := len(f.triples)
	if n < minDivided {
		for i, t := range f.triples {
			f.put(Train, i, t)
		}
		return fmt.Sprintf("all %s are for training: fewer than %d are not divided;"+
			" a fourth column with train, valid or test divides them",
			quantity.CountOf(n, "triple", "triples"), minDivided), nil
	}
	twins := f.twinning()
	groups := twins.groups()
	splits := f.drawSplits(d, groups)
	leaks, reason := twins.countLeaking(splits), ""
	if held := countHeld(splits); !d.Leakless && d.LeakLimit > 0 && float64(leaks) > d.LeakLimit*float64(held) {
		reason = fmt.Sprintf(": without that, %s would have one in train", ofHeld(leaks, held))
		d.Leakless = true
		splits = f.drawSplits(d, groups)
		leaks = 0
	}
	f.isLeakless, f.leaks = d.Leakless, leaks
	f.isDrawn = slices.Contains(splits, Test)
	counts := [3]int{}
	for i, t := range f.triples {
		f.put(splits[i], i, t)
		counts[splits[i]]++
	}
	into := fmt.Sprintf("%d train, %d valid and %d test", counts[Train], counts[Valid], counts[Test])
	switch { // a folder has the other split
	case f.inFolder && d.Test == 0:
		into = fmt.Sprintf("%d train and %d valid", counts[Train], counts[Valid])
	case f.inFolder && d.Valid == 0:
		into = fmt.Sprintf("%d train and %d test", counts[Train], counts[Test])
	}
	text := "divided by a fixed draw into " + into + " triples; every entity and relation is in train"
	if d.Leakless {
		text += "; twins (inverse, symmetric or duplicate relations) are in one split" + reason
	}
	warn := func(kind WarningKind, count int, message string) {
		f.b.warnings = append(f.b.warnings, Warning{Kind: kind, File: f.path, Count: count, Message: message})
	}
	if asked := d.splitSizes(n); short(asked, counts) {
		missing := asked[Valid] + asked[Test] - counts[Valid] - counts[Test]
		warn(ShortDivision, missing, fmt.Sprintf("%d valid and %d test triples were asked for, and only %d and %d can be"+
			" held out: each other triple is needed in train by an entity or relation; more triples of the same entities"+
			" make a larger test, or a fourth column with train, valid or test divides them", asked[Valid], asked[Test],
			counts[Valid], counts[Test]))
	}
	if leaks > 0 {
		warn(LeakyDivision, leaks, leakMessage(leaks, counts[Valid]+counts[Test]))
	}
	return text, nil
}

// splitSizes returns how many of n triples each split except train gets.
func (d Division) splitSizes(n int) [3]int {
	size := func(share float64) int { return int(float64(share*float64(n)) + 1e-9) }
	return [3]int{Valid: size(d.Valid), Test: size(d.Test)}
}

// short reports whether a split lacks more than a tenth of what was asked for, and more than the one triple that twins
// may cost.
func short(asked, counts [3]int) bool {
	return slices.ContainsFunc([]Split{Valid, Test}, func(s Split) bool {
		return asked[s]-counts[s] > max(1, asked[s]/10)
	})
}

func countHeld(splits []Split) (n int) {
	for _, s := range splits {
		if s != Train {
			n++
		}
	}
	return n
}

// ofHeld is a share of the triples of valid and test in words.
func ofHeld(n, held int) string {
	return fmt.Sprintf("%d of %s of valid and test (%.0f %%)", n, quantity.CountOf(held, "triple", "triples"), 100*mean(n, held))
}

func leakMessage(leaks, held int) string {
	return ofHeld(leaks, held) + map[bool]string{true: " has", false: " have"}[leaks == 1] +
		" a twin in train, so a model may score by repeating it (inverse, symmetric or duplicate relations)"
}

func (f *tripleFile) put(s Split, i int, t Triple) {
	p := &f.b.parts[s]
	p.triples, p.lines = append(p.triples, t), append(p.lines, f.lines[i])
}

// twinning finds the twins of a file's triples.
type twinning struct {
	triples            []Triple
	at                 map[Triple]int
	inverse, duplicate map[int32][]int32
}

func (f *tripleFile) twinning() *twinning {
	all := newIndex(len(f.b.entities.list), len(f.b.relations.list), f.triples)
	inverses, duplicates := relationPairs(all)
	w := &twinning{f.triples, make(map[Triple]int, len(f.triples)), partners(inverses), partners(duplicates)}
	for i, t := range f.triples {
		w.at[t] = i
	}
	return w
}

// of lists the twins of a triple. A loop has none.
func (w *twinning) of(i int) (list []int) {
	t := w.triples[i]
	if t.Head == t.Tail {
		return nil
	}
	add := func(twin Triple) {
		if j, ok := w.at[twin]; ok {
			list = append(list, j)
		}
	}
	add(reversed(t, t.Relation))
	for _, r := range w.inverse[t.Relation] {
		add(reversed(t, r))
	}
	for _, r := range w.duplicate[t.Relation] {
		add(Triple{t.Head, r, t.Tail})
	}
	return list
}

// groups lists for each triple all triples that must be in the same split for a division without leaks: itself, its
// twins, their twins, and so on. The list is nil for a triple without twins.
func (w *twinning) groups() [][]int {
	groups := make([][]int, len(w.triples))
	var collect func(i int, group []int) []int
	collect = func(i int, group []int) []int {
		group = append(group, i)
		for _, j := range w.of(i) {
			if !slices.Contains(group, j) {
				group = collect(j, group)
			}
		}
		return group
	}
	for i := range groups {
		if groups[i] != nil {
			continue
		}
		if group := collect(i, nil); len(group) > 1 {
			for _, j := range group {
				groups[j] = group
			}
		}
	}
	return groups
}

// countLeaking counts the triples of valid and test with a twin in train, as Check does.
func (w *twinning) countLeaking(splits []Split) (n int) {
	for i, s := range splits {
		if s != Train && slices.ContainsFunc(w.of(i), func(twin int) bool { return splits[twin] == Train }) {
			n++
		}
	}
	return n
}

// drawSplits draws triples for test and then for valid. Triples are drawn in the order of their names, so the order of
// lines does not matter. With d.Leakless a triple takes its twins along. If too few can be held out, valid and test
// share them in proportion to their shares.
func (f *tripleFile) drawSplits(d Division, groups [][]int) []Split {
	entities, relations := f.b.entities.list, f.b.relations.list
	order := make([]int, len(f.triples))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := f.triples[i], f.triples[j]
		return cmp.Or(cmp.Compare(entities[a.Head], entities[b.Head]),
			cmp.Compare(relations[a.Relation], relations[b.Relation]), cmp.Compare(entities[a.Tail], entities[b.Tail]))
	})
	stream := draw.New(d.Seed, draw.Division, 0, 0)
	for i := len(order) - 1; i > 0; i-- {
		j := int(stream.Uint32n(uint32(i + 1)))
		order[i], order[j] = order[j], order[i]
	}
	// The number of training triples that each name still has.
	entity, relation := make([]int, len(entities)), make([]int, len(relations))
	count := func(group []int, by int) {
		for _, i := range group {
			t := f.triples[i]
			entity[t.Head] += by
			entity[t.Tail] += by
			relation[t.Relation] += by
		}
	}
	lacks := func(group []int) bool {
		return slices.ContainsFunc(group, func(i int) bool {
			t := f.triples[i]
			return entity[t.Head] < 1 || entity[t.Tail] < 1 || relation[t.Relation] < 1
		})
	}
	count(order, 1)
	splits, groupOf := make([]Split, len(f.triples)), func(i int) []int {
		if d.Leakless && groups[i] != nil {
			return groups[i]
		}
		return []int{i}
	}
	asked := d.splitSizes(len(order))
	left := asked
	next := Test
	for _, i := range order {
		if next == Test && left[Test] <= 0 {
			next = Valid
		}
		if next == Valid && left[Valid] <= 0 {
			break
		}
		group := groupOf(i)
		if splits[i] != Train || len(group) > left[next] {
			continue
		}
		if count(group, -1); lacks(group) {
			count(group, 1)
			continue
		}
		for _, j := range group {
			splits[j] = next
		}
		left[next] -= len(group)
	}
	counts := [3]int{Valid: asked[Valid] - left[Valid], Test: asked[Test] - left[Test]}
	if d.TestFirst || !short(asked, counts) {
		return splits
	}
	return share(splits, order, groupOf, asked)
}

// share divides the held-out triples between valid and test, in the given order and as close to the asked proportion as
// possible.
func share(splits []Split, order []int, groupOf func(int) []int, asked [3]int) []Split {
	shared, counts := make([]Split, len(splits)), [3]int{}
	for _, i := range order {
		if splits[i] == Train || shared[i] != Train {
			continue
		}
		group := groupOf(i)
		fits := func(s Split) bool { return counts[s]+len(group) <= asked[s] }
		next := Valid
		if fits(Test) && (counts[Test]*asked[Valid] <= counts[Valid]*asked[Test] || !fits(Valid)) {
			next = Test
		}
		for _, j := range group {
			shared[j] = next
		}
		counts[next] += len(group)
	}
	return shared
}
