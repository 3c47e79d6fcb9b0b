package results

import (
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
)

// seenBefore returns notes on the models of rows whose weights were trained on the graph of that name or digest.
func seenBefore(graph, digest string, rows []Row) (notes []hint.Note) {
	for _, set := range dataset.Weights() {
		title := sphere.Title(set.Name)
		if set.TrainedOn(graph, digest) &&
			slices.ContainsFunc(rows, func(r Row) bool {
				return !r.Missing() && slices.ContainsFunc(strings.Split(r.Model, " + "), func(part string) bool {
					return part == title || strings.HasPrefix(part, title+",") // "ULTRA 50g, tuned"
				})
			}) {
			notes = append(notes, note(title+": its weights were trained on this graph."))
		}
	}
	return notes
}
