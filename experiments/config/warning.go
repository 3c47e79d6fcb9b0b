package config

import (
	"fmt"
	"math"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
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

// ChanceWarning warns of a training that ended with a loss above that of chance, NaN included; "" for others. entities
// is 0 where their number is unknown. A tuning has none.
func (c *Config) ChanceWarning(loss float64, entities int) string {
	if c.Inductive.Epochs > 0 { // the weights before the first epoch count, so a tuning cannot end below them
		return ""
	}
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
