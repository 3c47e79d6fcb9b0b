package kg

import (
	"fmt"
	"iter"
	"math"
	"math/bits"

	"github.com/spherelab/spherelab/spherE/internal/parallel"
)

// Index answers queries over a set of triples: the tails of (h, r, ?) and the heads of (?, r, t). It is compressed: per
// side a sorted list of answers, and a sorted list of the (relation, known entity) pairs that have answers. Its size is
// a small multiple of that of the triples. An Index is read-only and safe for concurrent use; lookups do not allocate.
type Index struct {
	entities, relations int
	tails, heads        side // answers to tail queries and to head queries
}

// side holds the answers of all queries of one side. Keys are the (relation, known) pairs in ascending order; the
// answers of key k are answers[starts[k]:starts[k+1]], ascending.
type side struct {
	first   []int32 // per relation the first key; the last of R+1 entries is the end
	known   []int32 // known entity by key
	starts  []int32 // per key the first answer; the last entry is the end
	answers []int32

	// To find a key in constant time: per relation a bitmap of the known entities, with the number of keys before each
	// word. A relation whose bitmap would be too large has none (blocks[r] < 0); its keys are found by binary search.
	blocks []int32 // per relation the first word in words, or -1
	words  []rankWord
}

// rankWord covers 32 entities of one relation.
type rankWord struct {
	bits uint32 // bit e: entity e of the 32 has a key
	rank uint32 // number of keys before this word
}

// bytesPerTriple bounds the bitmaps of one side per triple if all relations have one: the size of a triple.
const bytesPerTriple = 12

// newIndex indexes the union of the splits. It panics unless ids are in [0, entities) and [0, relations). The splits
// need not be sorted; a triple that occurs twice counts once.
func newIndex(entities, relations int, splits ...[]Triple) *Index {
	n := 0
	for _, s := range splits {
		n += len(s)
	}
	if n > math.MaxInt32-1 {
		panic(fmt.Sprintf("kg: %d triples are more than an index can hold", n))
	}
	a := make([]Triple, 0, n)
	for _, s := range splits {
		a = append(a, s...)
	}
	for _, t := range a {
		if t.Head < 0 || t.Tail < 0 || t.Relation < 0 ||
			int(t.Head) >= entities || int(t.Tail) >= entities || int(t.Relation) >= relations {
			panic(fmt.Sprintf("kg: triple %v is outside of %d entities and %d relations", t, entities, relations))
		}
	}
	b := make([]Triple, n)
	counts := make([]int32, max(entities, relations)+1)
	countingSort(b, a, tailColumn, entities, counts)
	countingSort(a, b, headColumn, entities, counts)
	countingSort(b, a, relationColumn, relations, counts)
	b = dropRepeats(b)
	a = a[:len(b)]
	ix := &Index{entities: entities, relations: relations}
	parallel.Do(
		func() {
			// b is ordered by (relation, head, tail); two stable passes give (relation, tail, head).
			c := make([]Triple, len(b))
			countingSort(a, b, tailColumn, entities, counts)
			countingSort(c, a, relationColumn, relations, counts)
			ix.heads = newSide(c, HeadSide, entities, relations)
		},
		func() { ix.tails = newSide(b, TailSide, entities, relations) },
	)
	return ix
}

// newSide compresses triples that are ordered by (relation, known, answer).
func newSide(sorted []Triple, sd Side, entities, relations int) side {
	keys := 0
	for i, t := range sorted {
		if i == 0 || sorted[i-1].Query(sd) != t.Query(sd) {
			keys++
		}
	}
	s := side{
		first:   make([]int32, relations+1),
		known:   make([]int32, 0, keys),
		starts:  make([]int32, 0, keys+1),
		answers: make([]int32, len(sorted)),
	}
	for i, t := range sorted {
		q := t.Query(sd)
		if i == 0 || sorted[i-1].Query(sd) != q {
			s.known = append(s.known, q.Known)
			s.starts = append(s.starts, int32(i))
			s.first[q.Relation+1]++
		}
		s.answers[i] = t.Answer(sd)
	}
	s.starts = append(s.starts, int32(len(sorted)))
	prefixSums(s.first)
	s.buildBitmaps(entities, relations)
	return s
}

func (s *side) buildBitmaps(entities, relations int) {
	const wordBytes = 8
	per := (entities + 31) / 32
	all := int64(per)*int64(relations)*wordBytes <= int64(len(s.answers))*bytesPerTriple
	s.blocks = make([]int32, relations)
	total := 0
	for r := range s.blocks {
		keys := int(s.first[r+1] - s.first[r])
		// A single relation may have a bitmap of up to 8 bytes per key.
		if (all || per <= keys) && total+per <= math.MaxInt32 {
			s.blocks[r] = int32(total)
			total += per
		} else {
			s.blocks[r] = -1
		}
	}
	s.words = make([]rankWord, total)
	for r, block := range s.blocks {
		if block < 0 {
			continue
		}
		words := s.words[block : int(block)+per]
		for _, e := range s.known[s.first[r]:s.first[r+1]] {
			words[e>>5].bits |= 1 << (uint(e) & 31)
		}
		rank := uint32(s.first[r])
		for i := range words {
			words[i].rank = rank
			rank += uint32(bits.OnesCount32(words[i].bits))
		}
	}
}

// key returns the index of the key (relation, known), -1 if it has no answers.
func (s *side) key(relation, known int32) int {
	if block := s.blocks[relation]; block >= 0 {
		w := s.words[int(block)+int(known>>5)]
		bit := uint32(1) << (uint(known) & 31)
		if w.bits&bit == 0 {
			return -1
		}
		return int(w.rank) + bits.OnesCount32(w.bits&(bit-1))
	}
	lo, hi := int(s.first[relation]), int(s.first[relation+1])
	key := lo + lowerBound(s.known[lo:hi], known)
	if key == hi || s.known[key] != known {
		return -1
	}
	return key
}

// list returns the answers of (relation, known), nil if there are none.
func (s *side) list(relation, known int32) []int32 {
	key := s.key(relation, known)
	if key < 0 {
		return nil
	}
	lo, hi := s.starts[key], s.starts[key+1]
	return s.answers[lo:hi:hi]
}

// lowerBound returns the index of the first id that is not below x.
func lowerBound(ids []int32, x int32) int {
	lo, n := 0, len(ids)
	for n > 0 {
		half := n >> 1
		if ids[lo+half] < x {
			lo += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return lo
}

// All yields every query that has answers, with its answers, ascending: the head queries, then the tail queries, each
// ordered by relation and known entity. The answers must not be changed.
func (ix *Index) All() iter.Seq2[Query, []int32] {
	return func(yield func(Query, []int32) bool) {
		for _, s := range []Side{HeadSide, TailSide} {
			side := &ix.tails
			if s == HeadSide {
				side = &ix.heads
			}
			for r := range int32(ix.relations) {
				for key := side.first[r]; key < side.first[r+1]; key++ {
					q := Query{Side: s, Known: side.known[key], Relation: r}
					if !yield(q, side.answers[side.starts[key]:side.starts[key+1]:side.starts[key+1]]) {
						return
					}
				}
			}
		}
	}
}

// Contains reports whether x is in ids, which must be ascending, like those of Answers.
func Contains(ids []int32, x int32) bool {
	i := lowerBound(ids, x)
	return i < len(ids) && ids[i] == x
}

// Entities returns the number of entities that the index was made for.
func (ix *Index) Entities() int { return ix.entities }

// Relations returns the number of relations that the index was made for.
func (ix *Index) Relations() int { return ix.relations }

// Len returns the number of distinct triples in the index.
func (ix *Index) Len() int { return len(ix.tails.answers) }

// Answers returns the answers to q in ascending order, without duplicates; nil if there are none. The slice is shared:
// do not modify it.
func (ix *Index) Answers(q Query) []int32 {
	if q.Side == HeadSide {
		return ix.heads.list(q.Relation, q.Known)
	}
	return ix.tails.list(q.Relation, q.Known)
}

// Has reports whether t is one of the indexed triples.
func (ix *Index) Has(t Triple) bool {
	// Most calls are for a corrupted triple, whose new head or tail is in no triple of this relation. Then a bitmap
	// decides.
	head := ix.tails.key(t.Relation, t.Head)
	if head < 0 {
		return false
	}
	tail := ix.heads.key(t.Relation, t.Tail)
	if tail < 0 {
		return false
	}
	tails := ix.tails.answers[ix.tails.starts[head]:ix.tails.starts[head+1]]
	heads := ix.heads.answers[ix.heads.starts[tail]:ix.heads.starts[tail+1]]
	if len(tails) <= len(heads) {
		return Contains(tails, t.Tail)
	}
	return Contains(heads, t.Head)
}

// Triples returns the number of distinct triples of a relation.
func (ix *Index) Triples(relation int32) int {
	f := ix.tails.first
	return int(ix.tails.starts[f[relation+1]] - ix.tails.starts[f[relation]])
}

// Heads returns the number of distinct heads of a relation.
func (ix *Index) Heads(relation int32) int {
	return len(ix.On(HeadSide, relation))
}

// Tails returns the number of distinct tails of a relation.
func (ix *Index) Tails(relation int32) int {
	return len(ix.On(TailSide, relation))
}

// On returns the distinct entities on a side of a relation, ascending. The slice is shared: do not modify it.
func (ix *Index) On(sd Side, relation int32) []int32 {
	s := &ix.tails
	if sd == TailSide {
		s = &ix.heads
	}
	return s.known[s.first[relation]:s.first[relation+1]]
}

// singles returns the number of a relation's keys with one answer.
func (s *side) singles(relation int32) (n int) {
	for key := s.first[relation]; key < s.first[relation+1]; key++ {
		if s.starts[key+1]-s.starts[key] == 1 {
			n++
		}
	}
	return n
}

// TailsPerHead returns the mean number of tails per (head, relation) pair of the relation ("tph" of Bernoulli
// sampling); 0 for a relation without triples.
func (ix *Index) TailsPerHead(relation int32) float64 {
	return mean(ix.Triples(relation), ix.Heads(relation))
}

// HeadsPerTail returns the mean number of heads per (relation, tail) pair of the relation ("hpt"); 0 for a relation
// without triples.
func (ix *Index) HeadsPerTail(relation int32) float64 {
	return mean(ix.Triples(relation), ix.Tails(relation))
}

func mean(sum, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}
