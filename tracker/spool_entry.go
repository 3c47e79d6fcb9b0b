package tracker

import (
	"errors"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// spoolVersion is the version that this program writes, and the newest that it reads. Version 2 may have results per
// relation, which programs of version 1 would drop, and version 3 results of evaluations. Version 4 has a claim, which
// must be valid when its records are stored. In version 5 metrics are not JSON.
const spoolVersion = 5

// entry is one line of a spool.
type entry struct {
	Kind string `json:"t"` // "header", "metric", "param", "tag", "relations", "results", "inputs", "files", "finish"

	// header
	Version  int    `json:"v,omitempty"`
	Database string `json:"db,omitempty"`
	Run      string `json:"run,omitempty"`
	Job      int64  `json:"job,omitempty"` // with Fence the claim to the run
	Fence    int64  `json:"fence,omitempty"`

	Time   int64                      `json:"ms,omitempty"` // Unix milliseconds of the call
	Step   int64                      `json:"step,omitempty"`
	Values map[string]jsonvalue.Exact `json:"values,omitempty"` // metrics
	Texts  map[string]string          `json:"texts,omitempty"`  // params or tags
	Status Status                     `json:"status,omitempty"` // finish

	logged map[string]float64 // metrics of a log call, in place of Values

	Relations []RelationResult   `json:"relations,omitempty"`
	Results   []EvaluationResult `json:"results,omitempty"`
	Inputs    []Dataset          `json:"inputs,omitempty"` // with a tracking server
	Files     []string           `json:"files,omitempty"`  // to send to a tracking server or a bucket
}

var errDamaged = errors.New("damaged record")
