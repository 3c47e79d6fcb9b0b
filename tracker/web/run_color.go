package web

import (
	"cmp"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/tracker"
)

// colorOf returns the number of a run's colour, from 0. It depends only on the id, so a run has the same colour in
// every page and picture.
func colorOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // it never fails
	return int(h.Sum32() % chart.Colors)
}

// places returns the colours and dashes of runs. Runs of the same colour get different dashes, the marked ones first,
// in the order of their ids: first solid lines, then each kind of dashes. The kinds start over when all are used.
func places(ids []string, marked ...string) []int {
	order := slices.SortedFunc(slices.Values(ids), func(a, b string) int {
		strong := func(id string) int { return slices.Index([]bool{true, false}, slices.Contains(marked, id)) }
		return cmp.Or(strong(a)-strong(b), cmp.Compare(a, b))
	})
	var used [chart.Colors]int
	place := make(map[string]int, len(ids))
	for _, id := range order {
		color := colorOf(id)
		place[id] = chart.PlaceOf(color, used[color])
		used[color]++
	}
	list := make([]int, len(ids))
	for i, id := range ids {
		list[i] = place[id]
	}
	return list
}

// readPlaces returns the places of runs in the address of a picture. Without any they follow from the ids.
func readPlaces(query url.Values, runs []tracker.RunInfo) ([]int, error) {
	texts := query["place"]
	if len(texts) == 0 {
		return places(ids(runs), query["mark"]...), nil
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

// placeTexts returns places in the form that an address has.
func placeTexts(list []int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}
