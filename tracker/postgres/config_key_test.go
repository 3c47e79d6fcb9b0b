package postgres_test

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

func TestConfigKeysLeaveTheSeedOut(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	log := func(params map[string]string) string {
		return listRun(t, tr, tracker.RunSpec{Name: "run", Params: params}, nil)
	}
	one, two := log(map[string]string{"gamma": "6", "seed": "1"}), log(map[string]string{"gamma": "6", "seed": "2"})
	other, none := log(map[string]string{"gamma": "7", "seed": "1"}), log(nil)
	keys := must[map[string]string](t)(tr.ConfigKeys(context.Background(), []string{one, two, other, none, "x"}))
	if len(keys) != 4 || keys[one] == "" || keys[one] != keys[two] || keys[one] == keys[other] || keys[none] != "" {
		t.Errorf("%v", keys)
	}
}
