package answer

import (
	"fmt"

	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// fewTests is the number of test facts from which numbers are in tables without a warning.
const fewTests = 30

// FewTestsWarning warns of numbers that are means over few facts; "" for enough, and for none, which have no numbers.
func FewTestsWarning(tests int) string {
	if tests == 0 || tests >= fewTests {
		return ""
	}
	return fmt.Sprintf("these numbers are of %s; with fewer than %d they are mostly chance", quantity.Count(tests, "test fact"),
		fewTests)
}

// Warnings say what a reader of a finished run's numbers has to know before trusting them; nil for most runs.
func Warnings(run tracker.RunInfo) []string {
	logged := ReadLogged(run)
	if logged.Config == nil || run.Status != string(tracker.Finished) {
		return nil
	}
	var list []string
	if text := FewTestsWarning(logged.Tests); text != "" && logged.Criterion != "" {
		list = append(list, text)
	}
	if logged.Config.Split.Whole {
		list = append(list, "it "+unmeasured(logged))
	}
	if loss, trained := run.Metrics["loss"]; trained && len(logged.Stack) == 0 {
		if text := logged.Config.ChanceWarning(loss, logged.Entities); text != "" {
			list = append(list, text)
		}
	}
	if epochs := logged.Config.Train.Epochs; logged.Ended > 0 && logged.Ended < epochs {
		list = append(list, fmt.Sprintf("the training was ended after epoch %d of %d", logged.Ended, epochs))
	}
	return list
}
