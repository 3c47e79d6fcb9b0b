package kg

// column is a position of a triple that a counting sort orders by.
type column uint8

const (
	headColumn column = iota
	relationColumn
	tailColumn
)

// countingSort writes src to dst, ordered by one column. It is stable. limit is larger than every id in the column;
// counts is scratch space of at least limit+1. dst and src must not overlap.
func countingSort(dst, src []Triple, c column, limit int, counts []int32) {
	counts = counts[:limit+1]
	clear(counts)
	switch c {
	case headColumn:
		for i := range src {
			counts[src[i].Head+1]++
		}
		prefixSums(counts)
		for _, t := range src {
			dst[counts[t.Head]] = t
			counts[t.Head]++
		}
	case relationColumn:
		for i := range src {
			counts[src[i].Relation+1]++
		}
		prefixSums(counts)
		for _, t := range src {
			dst[counts[t.Relation]] = t
			counts[t.Relation]++
		}
	default:
		for i := range src {
			counts[src[i].Tail+1]++
		}
		prefixSums(counts)
		for _, t := range src {
			dst[counts[t.Tail]] = t
			counts[t.Tail]++
		}
	}
}

func prefixSums(counts []int32) {
	sum := int32(0)
	for i, c := range counts {
		sum += c
		counts[i] = sum
	}
}

// sortTriples returns the triples ordered by (head, relation, tail), without duplicates, in a new slice. It uses src as
// scratch space. removed is the number of duplicates.
func sortTriples(src []Triple, entities, relations int) (sorted []Triple, removed int) {
	dst := make([]Triple, len(src))
	counts := make([]int32, max(entities, relations)+1)
	countingSort(dst, src, tailColumn, entities, counts)
	countingSort(src, dst, relationColumn, relations, counts)
	countingSort(dst, src, headColumn, entities, counts)
	unique := dropRepeats(dst)
	return unique, len(dst) - len(unique)
}

// dropRepeats removes equal neighbours in place.
func dropRepeats(sorted []Triple) []Triple {
	n := 0
	for i, t := range sorted {
		if i > 0 && t == sorted[n-1] {
			continue
		}
		sorted[n] = t
		n++
	}
	return sorted[:n]
}
