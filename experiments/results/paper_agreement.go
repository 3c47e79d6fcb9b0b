package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/eval"
)

// agrees is the largest difference between a number of ours and the paper's that counts as reproduced.
const agrees = .015

// apart is a number of the paper that is not reproduced.
type apart struct {
	model, cut, column string
	ours, paper        float64
}

func (a apart) String() string {
	return fmt.Sprintf("%s, %s, %s (%s)", a.model, a.cut, a.column, signed(a.ours-a.paper))
}

// countAgreeing returns, by model and protocol, how many of the paper's numbers agree with ours.
func countAgreeing(rows []Row) map[string]map[string]int {
	agreeing := map[string]map[string]int{}
	for _, row := range rows {
		if row.Paper == nil {
			continue
		}
		if agreeing[row.Model] == nil {
			agreeing[row.Model] = map[string]int{}
		}
		for _, c := range resultColumns {
			paper, printed := row.Paper.Values[c.metrics[0]]
			ours, logged := row.Numbers[c.metrics[0]]
			if printed && logged && reproduces(ours.Value, paper) {
				agreeing[row.Model][row.Protocol]++
			}
		}
	}
	return agreeing
}

// metUnder returns, by model, the protocol under which most of the paper's numbers agree with ours. Of equally good
// ones it is the first in the order of protocols.
func metUnder(rows []Row) map[string]string {
	met := map[string]string{}
	for model, count := range countAgreeing(rows) {
		met[model] = protocolClean
		for _, protocol := range []string{eval.ProtocolReleased, eval.ProtocolTie} {
			if count[protocol] > count[met[model]] {
				met[model] = protocol
			}
		}
	}
	return met
}

// compareWithPaper returns how many of the paper's numbers have a counterpart, and those that are not reproduced, each
// model under the protocol of metUnder.
func compareWithPaper(rows []Row) (beside int, all []apart) {
	met := metUnder(rows)
	for _, row := range rows {
		if row.Paper == nil || row.Protocol != met[row.Model] {
			continue
		}
		for _, c := range resultColumns {
			paper, printed := row.Paper.Values[c.metrics[0]]
			ours, logged := row.Numbers[c.metrics[0]]
			if !printed || !logged {
				continue
			}
			beside++
			if !reproduces(ours.Value, paper) {
				all = append(all, apart{row.Model, row.CutName(), c.heading, ours.Value, paper})
			}
		}
	}
	return beside, all
}

// namedApart is the largest number of differences that a note lists. More are counted by model.
const namedApart = 8

// reproduces reports whether our number reproduces the paper's. Both are compared as printed, with three digits.
func reproduces(ours, paper float64) bool {
	return math.Abs(math.Round(1000*ours)-math.Round(1000*paper)) <= 1000*agrees
}

// agreement returns a note on how much of the paper is reproduced, "" if there is nothing to compare.
func agreement(rows []Row) string {
	beside, all := compareWithPaper(rows)
	if beside == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of the %d numbers of the paper next to ours are within %s", beside-len(all), beside,
		quantity.Fraction(agrees, 3)) + protocols(rows)
	switch {
	case len(all) == 0:
		return text + "."
	case len(all) > namedApart:
		return text + "; not: " + strings.Join(countByModel(all), ", ") +
			". JSON has the difference of each number, CSV the paper's."
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.String()
	}
	return text + "; not: " + strings.Join(names, "; ") + "."
}

// protocols returns the part of a note that lists the models compared under a protocol other than clean.
func protocols(rows []Row) string {
	met := metUnder(rows)
	var names []string
	for _, row := range rows {
		name := row.Model + " under protocol " + met[row.Model]
		if row.Paper != nil && met[row.Model] != "" && met[row.Model] != protocolClean && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// countByModel returns how many numbers of each model are not reproduced, in the order of the rows.
func countByModel(all []apart) []string {
	var models []string
	count := map[string]int{}
	for _, a := range all {
		if count[a.model] == 0 {
			models = append(models, a.model)
		}
		count[a.model]++
	}
	for i, model := range models {
		models[i] = fmt.Sprintf("%d of %s", count[model], model)
	}
	return models
}
