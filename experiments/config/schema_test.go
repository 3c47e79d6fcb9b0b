package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

var writeSchema = flag.Bool("write", false, "write the schema of configs instead of comparing it")

// TestSchemaIsCurrent compares the committed schema with the code and default.yaml.
func TestSchemaIsCurrent(t *testing.T) {
	const file = "schema.json"
	if *writeSchema {
		expect.NoError(t, os.WriteFile(file, Schema(), 0o644))
		return
	}
	committed, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(committed, Schema()) {
		t.Errorf("%s is not what the code makes; `go generate ./experiments/config` writes it: %v", file, err)
	}
}

// TestSchemaHasEveryKey with its documentation and default.
func TestSchemaHasEveryKey(t *testing.T) {
	type node struct {
		Description string
		Default     any
		Properties  map[string]node
	}
	var root node
	expect.NoError(t, json.Unmarshal(Schema(), &root))
	for _, key := range Keys() {
		at := root
		for part := range strings.SplitSeq(key, ".") {
			at = at.Properties[part]
		}
		if at.Default == nil && key != "tags" {
			t.Errorf("%s has no default", key)
		}
		if len(at.Description) < 20 {
			t.Errorf("%s has the description %q", key, at.Description)
		}
		if key == "model" || key == "early_stop.metric" {
			continue // too many to list; errors and completion do
		}
		for _, choice := range Choices(key) {
			if !regexp.MustCompile(`\b` + regexp.QuoteMeta(choice) + `\b`).MatchString(at.Description) {
				t.Errorf("default.yaml says nothing of %s: %s", key, choice)
			}
		}
	}
}
