package config

import (
	"context"
	"maps"
	"strconv"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// The views' config_key has to follow the identity of configs: all keys that can change a number, except the seed.
func TestConfigKeyIsIdentityWithoutSeed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.Open(t)
	params := Default().Flatten()
	log := func(changed string) {
		t.Helper()
		p := maps.Clone(params)
		p[changed] += "1"
		maps.DeleteFunc(p, func(_, value string) bool { return value == "" })
		run, err := tr.StartRun(ctx, tracker.RunSpec{Experiment: "keys", Name: changed, Params: p})
		if err == nil {
			err = run.Finish(ctx, tracker.Finished)
		}
		expect.NoError(t, err)
	}
	log("threads")
	for key := range params {
		log(key)
	}
	log(ParamHash)
	log("graph_digest")
	table, err := trackertest.StoreOf(t, tr).SQL(ctx, `select run_name, config_key = (select min(config_key) from run_wide where run_name = 'threads')
		from run_wide`)
	if err != nil || len(table.Rows) != len(params)+3 {
		t.Fatalf("%d rows, %v", len(table.Rows), err)
	}
	for _, row := range table.Rows {
		key := row[0].(string)
		want := !InIdentity(key) || key == "seed" || key == ParamHash
		if row[1] != want {
			t.Errorf("%s: the same config_key: %s, want %s", key, strconv.FormatBool(row[1].(bool)),
				strconv.FormatBool(want))
		}
	}
}

// TestKeyNamed: each key is found by its name, whatever other keys end in it, and else by its last part.
func TestKeyNamed(t *testing.T) {
	t.Parallel()
	for _, key := range Keys() {
		if got := KeyNamed(key); got != key {
			t.Errorf("%s is found as %q", key, got)
		}
	}
	for name, want := range map[string]string{"seed": "seed", "epochs": "train.epochs", "patience": "early_stop.patience",
		"split.seed": "split.seed", "epoch": "", "": ""} {
		if got := KeyNamed(name); got != want {
			t.Errorf("%q is found as %q, want %q", name, got, want)
		}
	}
}
