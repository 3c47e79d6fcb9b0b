package command

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// TestValues: what is typed becomes the value that it names, and without a flag the default stays.
func TestValues(t *testing.T) {
	t.Parallel()
	type values struct {
		Sides     []kg.Side
		Valid     bool
		Status    tracker.Status
		Criterion sphere.Criterion
		Sizes     []int
		Limit     int
		Slack     float32
		Hours     time.Duration
		Age       time.Duration
		Trees     bool
		Format    string
		Promises  []string
	}
	for line, want := range map[string]values{
		"": {Limit: 50, Format: "text", Promises: []string{"precision-0.5", "precision-0.8"}},
		"--side tail --split valid --status Killed --criterion sphere --top-l 10,1 --top-l 7 --limit 0 --slack -1.5 " +
			"--hours .5 --age 2d --with trees --format csv --precision .95": {Sides: []kg.Side{kg.TailSide}, Valid: true,
			Status: tracker.Killed, Criterion: sphere.CriterionSphere, Sizes: []int{10, 1, 7}, Slack: -1.5,
			Hours: 30 * time.Minute, Age: 48 * time.Hour, Trees: true, Format: "csv", Promises: []string{"precision-0.95"}},
		"--side head --split test --status running --criterion= --age 90m": {Sides: []kg.Side{kg.HeadSide}, Limit: 50,
			Status: tracker.Running, Age: 90 * time.Minute, Format: "text", Promises: []string{"precision-0.5", "precision-0.8"}},
	} {
		var got values
		var promises []eval.Limited
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.Var(sidesValue(&got.Sides), "side", "")
		f.Var(splitValue(&got.Valid), "split", "")
		f.Var(statusValue(&got.Status), "status", "")
		f.Var(criterionValue(&got.Criterion), "criterion", "")
		f.Var(sizesValue(&got.Sizes), "top-l", "")
		f.Var(countValue(&got.Limit, 50, 0), "limit", "")
		f.Var(slackValue(&got.Slack), "slack", "")
		f.Var(hoursValue(&got.Hours), "hours", "")
		f.Var(ageValue(&got.Age), "age", "")
		f.Var(onlyValue(&got.Trees, sphere.Trees), "with", "")
		f.Var(choice(&got.Format, "text", withCSV, withCSV), "format", "")
		f.Var(promisesValue(&promises, ".5,.8", eval.PromisedPrecision), "precision", "")
		if err := f.Parse(strings.Fields(line)); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		for _, c := range promises {
			got.Promises = append(got.Promises, c.Name())
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as\n%+v, want\n%+v", line, got, want)
		}
	}
}
