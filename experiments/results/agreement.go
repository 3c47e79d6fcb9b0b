package results

import (
	"fmt"
	"math"
	"strings"
)

// agrees is the largest difference between a number of ours and the paper's that counts as reproduced.
const agrees = .015

// apart is a number of the paper that ours does not reproduce.
type apart struct {
	model, cut, column string
	ours, paper        float64
}

func (a apart) String() string {
	return fmt.Sprintf("%s, %s, %s (%s)", a.model, a.cut, a.column, signed(a.ours-a.paper))
}

// compareWithPaper counts the paper's numbers that have one of ours, and lists those that are apart.
func compareWithPaper(rows []Row) (beside int, all []apart) {
	for _, row := range rows {
		if row.Paper == nil {
			continue
		}
		for _, c := range resultColumns {
			paper, printed := row.Paper.Values[c.metrics[0]]
			ours, logged := row.Numbers[c.metrics[0]]
			if !printed || !logged {
				continue
			}
			beside++
			// As printed: with three digits.
			if math.Abs(math.Round(1000*ours.Value)-math.Round(1000*paper)) > 1000*agrees {
				all = append(all, apart{row.Model, row.CutName(), c.heading, ours.Value, paper})
			}
		}
	}
	return beside, all
}

// agreement says in a note how much of the paper is reproduced; "" where it has no number of ours.
func agreement(rows []Row) string {
	beside, all := compareWithPaper(rows)
	if beside == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of the %d numbers of the paper beside ours are within %s", beside-len(all), beside,
		fraction(agrees))
	if len(all) == 0 {
		return text + "."
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.String()
	}
	return text + "; not: " + strings.Join(names, "; ") + "."
}
