package experiments

import (
	"fmt"
	"math"
	"strings"
)

// agrees is how far a number of ours may be from the paper's to be called reproduced.
const agrees = .015

// apart is a number of the paper that ours does not reproduce.
type apart struct {
	model, cut, column string
	ours, paper        float64
}

func (a apart) String() string {
	return fmt.Sprintf("%s, %s, %s (%s)", a.model, a.cut, a.column, signed(a.ours-a.paper))
}

// compareWithPaper counts the paper's numbers that stand beside ours, and lists those that are apart.
func compareWithPaper(rows []Row) (beside int, all []apart) {
	for _, row := range rows {
		if row.Paper == nil {
			continue
		}
		for _, c := range resultColumns {
			key := c.keys[0]
			paper, printed := row.Paper.Values[key]
			ours, logged := row.Metrics[key]
			if !printed || !logged {
				continue
			}
			beside++
			// As printed: with three digits.
			if math.Abs(math.Round(1000*ours)-math.Round(1000*paper)) > 1000*agrees {
				all = append(all, apart{row.Model, row.Cut, c.heading, ours, paper})
			}
		}
	}
	return beside, all
}

// agreement says in a note how much of the paper is reproduced; "" where nothing stands beside it.
func agreement(rows []Row) string {
	beside, all := compareWithPaper(rows)
	if beside == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of the %d numbers of the paper beside ours are within %s", beside-len(all), beside, fraction(agrees))
	if len(all) == 0 {
		return text + "."
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.String()
	}
	return text + "; not: " + strings.Join(names, "; ") + "."
}
