package kg

import "fmt"

// Category is how many entities a relation has on each side of a fact: one or many.
type Category uint8

// The four categories; the first word is the head side.
const (
	OneToOne Category = iota
	OneToN
	NToOne
	NToN
)

// RelationCategories lists the four categories in order.
func RelationCategories() [4]Category { return [4]Category{OneToOne, OneToN, NToOne, NToN} }

// String returns "1-1", "1-n", "n-1" or "n-n".
func (c Category) String() string {
	switch c {
	case OneToOne:
		return "1-1"
	case OneToN:
		return "1-n"
	case NToOne:
		return "n-1"
	case NToN:
		return "n-n"
	}
	return fmt.Sprintf("category(%d)", uint8(c))
}

// Categories returns the category of each relation over the indexed triples. A side is "n" if its mean number of
// entities is at least 1.5: heads per (relation, tail) for the head side, tails per (head, relation) for the tail side.
func (ix *Index) Categories() []Category {
	out := make([]Category, ix.relations)
	for r := range out {
		triples := ix.Triples(int32(r))
		// In whole numbers: triples/keys >= 3/2.
		manyHeads := triples > 0 && 2*triples >= 3*ix.Tails(int32(r))
		manyTails := triples > 0 && 2*triples >= 3*ix.Heads(int32(r))
		switch {
		case manyHeads && manyTails:
			out[r] = NToN
		case manyHeads:
			out[r] = NToOne
		case manyTails:
			out[r] = OneToN
		}
	}
	return out
}
