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

// colorOf is the colour of a run, from 0: it follows from the id alone, so a run has it in every page and picture.
func colorOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // it never fails
	return int(h.Sum32() % chart.Colors)
}

// places are the colours and dashes of runs. Runs of one colour differ in their dashes: in the order of their ids, the
// first are the marked ones, they take whole lines, then each kind of dashes. The kinds begin anew when all are taken.
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

// readPlaces are the places that the address of a picture gives its runs; without any they follow from the ids.
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

// placeTexts are places as an address has them.
func placeTexts(list []int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}
