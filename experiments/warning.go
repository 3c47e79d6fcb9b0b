package experiments

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// ChanceLoss is the loss of a model that knows nothing, without regularizers. With one-vs-all it holds all entities
// equally likely: log(entities). With the self-adversarial loss every triple has one score s, and softplus(-s) of the
// positive with softplus(s) of its negatives, one half each, is least at s = 0: log 2.
func (c *Config) ChanceLoss(entities int) float64 {
	if c.Train.Loss == sphere.OneVsAll {
		return math.Log(float64(entities))
	}
	return math.Ln2
}

// chanceWarning warns of a training that ended with a loss above that of chance, NaN included; "" for others. entities
// is 0 where their number is unknown.
func (c *Config) chanceWarning(loss float64, entities int) string {
	chance := c.ChanceLoss(entities)
	if math.IsInf(chance, 0) || loss <= chance {
		return ""
	}
	return fmt.Sprintf("the training ended with a loss of %.5g, and a model that knows nothing has %.4g: it diverged or "+
		"was too short; lower train.learning_rate or raise train.epochs", loss, chance)
}

// GraphWarning is a warning of a graph in words, with the config key that helps.
func GraphWarning(w kg.Warning) string {
	if w.Kind == kg.LeakyDivision {
		return w.String() + "; split.leakless=true keeps twins in one split"
	}
	return w.String()
}

// fewTests is the number of test facts from which numbers stand in tables without a warning.
const fewTests = 30

// fewTestsWarning warns of numbers that are means over few facts; "" for enough, and for none, which have no numbers.
func fewTestsWarning(tests int) string {
	if tests == 0 || tests >= fewTests {
		return ""
	}
	return fmt.Sprintf("these numbers are of %s; with fewer than %d they are mostly chance", plural(tests, "test fact"),
		fewTests)
}

// Warnings say what a reader of a finished run's numbers has to know before trusting them; nil for most runs.
func Warnings(run tracker.RunInfo) []string {
	logged := ReadLogged(run)
	if logged.Config == nil || run.Status != string(tracker.Finished) {
		return nil
	}
	var list []string
	if text := fewTestsWarning(logged.Tests); text != "" && logged.Criterion != "" {
		list = append(list, text)
	}
	if loss, trained := run.Metrics["loss"]; trained && len(logged.Stack) == 0 {
		if text := logged.Config.chanceWarning(loss, logged.Entities); text != "" {
			list = append(list, text)
		}
	}
	if epochs := logged.Config.Train.Epochs; logged.Ended > 0 && logged.Ended < epochs {
		list = append(list, fmt.Sprintf("the training was ended after epoch %d of %d", logged.Ended, epochs))
	}
	return list
}
