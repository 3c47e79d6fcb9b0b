package web

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
)

// places are the colours and dashes of runs. They follow from the ids, so a run looks the same in every view, whatever
// the order. Where two want the same, the one with the greater id takes the next that is free, first of another colour.
func places(ids []string) []int {
	taken := make([]bool, chart.Places)
	place := make(map[string]int, len(ids))
	for _, id := range slices.Sorted(slices.Values(ids)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(id)) // it never fails
		wanted := int(h.Sum32() % chart.Places)
		at := wanted
		if i := freePlace(taken, wanted); i >= 0 {
			at = i
		}
		taken[at] = true
		place[id] = at + 1
	}
	list := make([]int, len(ids))
	for i, id := range ids {
		list[i] = place[id]
	}
	return list
}

// freePlace is the first free place from the wanted one on: of a colour that nobody has while there is one, else any;
// -1 if there is none.
func freePlace(taken []bool, wanted int) int {
	used := make([]bool, chart.Colors)
	for i, t := range taken {
		used[i%chart.Colors] = used[i%chart.Colors] || t
	}
	all := !slices.Contains(used, false)
	for k := range taken {
		if i := (wanted + k) % len(taken); !taken[i] && (all || !used[i%chart.Colors]) {
			return i
		}
	}
	return -1
}

// readPlaces are the places that the address of a picture gives its runs; without any they follow from the ids, first
// of the marked runs.
func readPlaces(query url.Values, runs []tracker.RunInfo) ([]int, error) {
	texts := query["place"]
	if len(texts) == 0 {
		list, marks := places(ids(runs)), query["mark"]
		for i, place := range places(marks) {
			if at := slices.IndexFunc(runs, func(r tracker.RunInfo) bool { return r.ID == marks[i] }); at >= 0 {
				list[at] = place
			}
		}
		return list, nil
	}
	list := make([]int, len(texts))
	for i, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > chart.Places {
			return nil, badRequestError{"place must be a number from 1 to " + strconv.Itoa(chart.Places)}
		}
		list[i] = n
	}
	if len(list) != len(runs) {
		return nil, badRequestError{"every run of a picture needs a place, or none"}
	}
	return list, nil
}

// placeTexts are places as an address has them.
func placeTexts(list []int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}
