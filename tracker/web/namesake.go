package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/tracker"
)

// Limits of what distinguishes runs of the same name: params as columns and in a name, runs whose params are read, and
// characters of a value in a name.
const (
	maxApartColumns = 3
	maxApartNames   = 3
	maxApartRuns    = 200
	maxApartLetters = 24
	maxLongNames    = 7
)

// distinguishing returns at most limit params that distinguish runs within each set. First come, one by one, those that
// separate the most pairs not yet separated by the seen params and those before; then others in which runs of a set
// differ. A run is given by its params. Runs of different sets need not be distinguished.
func distinguishing(sets [][]map[string]string, seen []string, most int) []string {
	var runs []map[string]string
	var start []int // sets of runs
	all := map[string]bool{}
	for i, set := range sets {
		for _, params := range set {
			runs, start = append(runs, params), append(start, i)
			for key := range params {
				all[key] = !isIdentity(key)
			}
		}
	}
	together, gain := start, map[string]int{}
	for _, key := range seen {
		together, _ = separate(together, runs, key)
		delete(all, key)
	}
	for key, describes := range all {
		if _, n := separate(start, runs, key); describes && n > 0 {
			gain[key] = n
		}
	}
	if len(gain) > 1 {
		delete(gain, "threads") // these params change no result
	}
	names := slices.SortedFunc(maps.Keys(gain), byName)
	var chosen []string
	for len(chosen) < most {
		best, most := "", 0
		for _, key := range names {
			if _, n := separate(together, runs, key); n > most {
				best, most = key, n
			}
		}
		if best == "" {
			break
		}
		chosen = append(chosen, best)
		together, _ = separate(together, runs, best)
	}
	others := slices.DeleteFunc(names, func(key string) bool { return slices.Contains(chosen, key) })
	slices.SortStableFunc(others, func(a, b string) int { return gain[b] - gain[a] })
	return append(chosen, others[:min(len(others), most-len(chosen))]...)
}

// byName orders params by name. The seed, which says the least, is last.
func byName(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "seed":
		return 1
	case b == "seed":
		return -1
	}
	return cmp.Compare(a, b)
}

// separate divides sets of runs by the values of a param, and counts the pairs of runs whose values differ.
func separate(set []int, runs []map[string]string, key string) (divided []int, pairs int) {
	type part struct {
		set   int
		has   bool
		value string
	}
	numbers, sizes, whole := map[part]int{}, []int{}, map[int]int{}
	for i, params := range runs {
		value, has := params[key]
		p := part{set[i], has, value}
		n, known := numbers[p]
		if !known {
			n = len(sizes)
			numbers[p], sizes = n, append(sizes, 0)
		}
		divided = append(divided, n)
		if has { // runs of earlier versions lack params that later ones have
			pairs += whole[set[i]] - sizes[n] // runs of its set with another value so far
			whole[set[i]]++
		}
		sizes[n]++
	}
	return divided, pairs
}

// namesakes returns the runs that share their name with others of a list, by name, in the order of the list.
func namesakes(runs []tracker.RunInfo) [][]tracker.RunInfo {
	at := map[string]int{}
	var sets [][]tracker.RunInfo
	for _, run := range runs {
		name := title(run)
		if _, known := at[name]; !known {
			at[name], sets = len(sets), append(sets, nil)
		}
		sets[at[name]] = append(sets[at[name]], run)
	}
	return slices.DeleteFunc(sets, func(set []tracker.RunInfo) bool { return len(set) < 2 })
}

// apartColumns returns further columns that distinguish runs of the same name in a table. It adds their values to the
// runs.
func (s *site) apartColumns(ctx context.Context, shown []string, runs []tracker.RunInfo) ([]string, error) {
	sets := namesakes(runs)
	if len(sets) == 0 {
		return nil, nil
	}
	same := ids(slices.Concat(sets...))
	params, err := s.store.Params(ctx, same[:min(len(same), maxApartRuns)], nil)
	if err != nil {
		return nil, err
	}
	known := make([][]map[string]string, len(sets))
	for i, set := range sets {
		for _, run := range set {
			if p, ok := params[run.ID]; ok {
				known[i] = append(known[i], p)
			}
		}
	}
	var seen []string
	for _, column := range shown {
		if key, of := strings.CutPrefix(column, "param/"); of {
			seen = append(seen, key)
		}
	}
	keys := distinguishing(known, seen, maxApartColumns)
	if len(keys) == 0 {
		return nil, nil
	}
	if params, err = s.store.Params(ctx, ids(runs), keys); err != nil {
		return nil, err
	}
	for _, run := range runs {
		maps.Copy(run.Params, params[run.ID])
	}
	return prefixed("param/", keys), nil
}

// withoutShared returns the columns without the usual params that all runs of a table share, and these params. The
// column that the table is sorted by stays.
func withoutShared(columns []string, sort string, runs []tracker.RunInfo) (left []string, shared []keyValue) {
	for _, c := range columns {
		key, of := strings.CutPrefix(c, "param/")
		if of && slices.Contains(usualColumns, c) && c != sort && len(runs) > 1 && runs[0].Params[key] != "" && agree(runs, key) {
			shared = append(shared, keyValue{key, runs[0].Params[key]})
		} else {
			left = append(left, c)
		}
	}
	return left, shared
}

// distinguishNames returns what distinguishes runs of the same name, by id, "" if nothing does. alike reports whether
// all runs have the same name.
func distinguishNames(runs []tracker.RunInfo) (told map[string]string, alike bool) {
	return toldOf(runs, namesakes(runs), maxApartNames)
}

// toldOf is distinguishNames for sets of runs, by at most limit params.
func toldOf(runs []tracker.RunInfo, sets [][]tracker.RunInfo, most int) (told map[string]string, alike bool) {
	told = map[string]string{}
	for _, set := range sets {
		var params []map[string]string
		for _, run := range set {
			params = append(params, run.Params)
		}
		keys := distinguishing([][]map[string]string{params}, nil, most)
		for _, run := range set {
			var parts []string
			for _, key := range keys {
				if value, has := run.Params[key]; has {
					parts = append(parts, lastPart(key, keys)+" "+shortened(plain(value)))
				}
			}
			told[run.ID] = strings.Join(parts, ", ")
		}
	}
	return told, len(sets) == 1 && len(sets[0]) == len(runs)
}

// distinctNames returns the names of runs in a picture, with the beginnings of their ids. For runs of the same name it
// adds what distinguishes them. It then leaves out a name that all of them have, and the names of many runs, because a
// legend has little room.
func distinctNames(runs []tracker.RunInfo) []string {
	told, alike := distinguishNames(runs)
	if len(told) > 0 && len(runs) > maxLongNames {
		told, alike = toldOf(runs, [][]tracker.RunInfo{runs}, maxApartNames-1)
	}
	var names []string
	for _, run := range runs {
		name := title(run) + " " + tracker.ShortID(run.ID)
		if text := told[run.ID]; text != "" {
			if alike {
				name = tracker.ShortID(run.ID)
			}
			name += ": " + text
		}
		names = append(names, name)
	}
	return names
}

// lastPart returns the last part of a key, unless another key ends in the same part.
func lastPart(key string, keys []string) string {
	last := key[strings.LastIndexByte(key, '.')+1:]
	for _, other := range keys {
		if other != key && other[strings.LastIndexByte(other, '.')+1:] == last {
			return key
		}
	}
	return cmp.Or(last, key)
}

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= maxApartLetters {
		return text
	}
	return string([]rune(text)[:maxApartLetters-1]) + "…"
}
