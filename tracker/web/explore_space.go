package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// sightData is what the script of the page draws of a sight. Entities are their ids.
type sightData struct {
	Entity  int          `json:"entity"`
	Nearest []int        `json:"nearest"`
	Facts   [][2]any     `json:"facts"` // entity and mark
	Touched *touchedData `json:"touched"`
}

type touchedData struct {
	IDs     []int        `json:"ids"`
	Marks   []string     `json:"marks"`
	Values  coordinates  `json:"values"`
	Usual   int          `json:"usual"`
	Set     int          `json:"set"`
	Size    int          `json:"size"`
	Known   int          `json:"known"`
	HeldOut int          `json:"heldOut"`
	Path    [][2]float64 `json:"path"`
	Reach   float64      `json:"reach"`
	Factor  float64      `json:"factor"`
	Other   []int        `json:"other,omitempty"` // the set of another model, if Against is not ""
	Against string       `json:"against,omitempty"`
}

func (x *Sight) data() sightData {
	d := sightData{Entity: x.ID, Nearest: []int{}, Facts: [][2]any{}}
	for _, n := range x.Nearest {
		d.Nearest = append(d.Nearest, n.ID)
	}
	for _, f := range x.Facts {
		for _, one := range f.List {
			d.Facts = append(d.Facts, [2]any{one.ID, one.Mark})
		}
	}
	for _, one := range x.Guesses {
		d.Facts = append(d.Facts, [2]any{one.ID, one.Mark})
	}
	if t := x.Touched; t != nil {
		of := &touchedData{IDs: []int{}, Marks: []string{}, Values: t.Values, Usual: t.Usual, Set: t.Set, Size: t.Size,
			Known: t.Known, HeldOut: t.HeldOut, Path: t.Path, Reach: t.Reach, Factor: t.Factor}
		for _, m := range t.List {
			of.IDs, of.Marks = append(of.IDs, m.ID), append(of.Marks, m.Mark)
		}
		if t.Other != nil {
			of.Against = t.Other.Run
			for _, m := range t.Other.List {
				of.Other = append(of.Other, m.ID)
			}
		}
		d.Touched = of
	}
	return d
}

// space sends where all entities are. A browser keeps it, and asks whether it is still the same.
func (s *site) space(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findExploring(r)
	if err != nil {
		return err
	}
	var x Space
	if err := s.computing.do(r, func() (err error) {
		if x, err = s.o.Explorer.Space(r.Context(), run); err != nil {
			err = modelError{err}
		}
		return err
	}); err != nil {
		return err
	}
	raw, err := json.Marshal(x)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Vary", "Accept-Encoding")
	zipped := strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
	tag := fmt.Sprintf(`"%x-%t"`, sha256.Sum256(raw), zipped)
	h.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if zipped {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(raw) // a buffer takes all
		if err := z.Close(); err != nil {
			return err
		}
		h.Set("Content-Encoding", "gzip")
		raw = b.Bytes()
	}
	_, _ = w.Write(raw) // the reader may have gone
	return nil
}

// start are the entities of most known facts.
func (s Space) start(run tracker.RunInfo) (list []Seen) {
	const shown = 20
	for range min(shown, len(s.Names)) {
		best := -1
		for e, degree := range s.Degree {
			taken := slices.ContainsFunc(list, func(s Seen) bool { return s.ID == e })
			if (best < 0 || degree > s.Degree[best]) && !taken {
				best = e
			}
		}
		list = append(list, Seen{ID: best, Name: s.Names[best], Numbers: quantity.Count(s.Degree[best], "known fact"),
			Address: Spot{Entity: s.Names[best]}.at(run, nil)})
	}
	return list
}
