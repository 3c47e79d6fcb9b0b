package experiments

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/tracker"
)

// Names of params beside the config keys.
const (
	ParamConfigHash  = "config_hash" // Config.IdentityHash
	ParamGraph       = "graph"       // the graph's name
	ParamGraphDigest = "graph_digest"
	ParamNumerics    = "numerics_version"
)

// Names of tags that are read again.
const (
	TagDigest    = "checkpoint_digest"
	TagSource    = "data_source" // absolute folder of the graph
	TagCriterion = "criterion"   // of the plain metric keys
	TagResumed   = "resumed"     // how often
	TagSweep     = "sweep"       // name of the sweep's file, of a run that a sweep trained
	TagTrial     = "trial"       // number, from 1, of a run that is a trial of a search
	TagDiverged  = "diverged"    // the numbers of the training did; it would fail again
	TagEnded     = "ended_after" // epoch after which the training was ended before its config does
	tagGitHead   = "git_head"    // of the program that began the run
	tagGitHeads  = "git_heads"   // of all programs that have worked on it, if there are several
	tagEntities  = "entities"    // how many the graph has
	tagRelations = "relations"
	tagTests     = "test_facts"
)

// Logged says how a run was made, as far as it has logged that. It is read once, by ReadLogged.
type Logged struct {
	Config      *Config // nil for a run of another program; a key that was not logged has its default, see Unlogged
	ConfigHash  string
	Graph       string
	GraphDigest string
	// folder or file of the graph when the run was made; "" for the bundled graph and an imported run
	Source    string
	Entities  int // of the graph; 0 if unknown
	Relations int
	Tests     int // test facts of the graph; 0 if unknown
	Numerics  int // sphere.NumericsVersion of the program; 0 if unknown

	// Stack has the checkpoint digests of the models that a stack combines, and StackRuns the ids of their runs; nil
	// for other runs.
	Stack, StackRuns []string

	// Model, Variant and Seed are those of the config, or what another program calls so; "" if that was not logged.
	Model, Variant, Seed string

	Checkpoint string   // digest of the trained model, "" before the end of the training
	Criterion  string   // name of the primary cut, "" without an evaluation
	GitHeads   []string // commits of the programs that worked on the run, the first one first
	Resumed    int      // how often
	Imported   bool     // from a file: the run has no artifacts
	Ended      int      // epoch after which the training was ended before its config does; 0: it was not
	Sweep      string   // name of the file of the sweep that trained the run, "" for others
}

// defaults is DefaultConfig, read once. It is never changed.
var defaults = sync.OnceValue(DefaultConfig)

// ReadLogged reads how a stored run was made. It never fails: what is missing or not understood is left empty.
func ReadLogged(run tracker.RunInfo) Logged {
	number := func(text string) int {
		n, _ := strconv.Atoi(text) // absent means 0
		return n
	}
	p, t := run.Params, run.Tags
	return Logged{Config: loggedConfig(p), ConfigHash: p[ParamConfigHash], Graph: p[ParamGraph],
		GraphDigest: p[ParamGraphDigest], Source: t[TagSource], Entities: number(t[tagEntities]),
		Relations: number(t[tagRelations]), Tests: number(t[tagTests]), Numerics: number(p[ParamNumerics]),
		Stack: strings.Fields(p[ParamStack]), StackRuns: strings.Fields(t[tagStackRuns]), Model: p["model"],
		Variant: p["variant"], Seed: p["seed"], Checkpoint: t[TagDigest], Criterion: t[TagCriterion], Sweep: t[TagSweep],
		GitHeads: strings.Fields(cmp.Or(t[tagGitHeads], t[tagGitHead])), Resumed: number(t[TagResumed]),
		Ended: number(t[TagEnded]), Imported: t[tracker.TagImported] != ""}
}

// loggedConfig is the inverse of Flatten, nil if these are not the params of a run of ours.
func loggedConfig(params map[string]string) *Config {
	if params[ParamConfigHash] == "" {
		return nil
	}
	c := defaults().Clone()
	for _, key := range Keys() {
		text, logged := params[key]
		if !logged {
			if text, logged = laterKeys[key]; !logged { // what such runs had, whatever the default is today
				continue
			}
		}
		if err := c.Set(key, text, ""); err != nil {
			return nil
		}
	}
	return c
}

// Unlogged are the config keys that decide numbers, of which run has logged no value and other has: in the Logged of
// run they are today's defaults, which need not be what the run had. Keys that did not exist then are left out, since
// what such runs had is known.
func Unlogged(run, other tracker.RunInfo) (keys []string) {
	for _, key := range Keys() {
		_, mine := run.Params[key]
		_, later := laterKeys[key]
		if _, theirs := other.Params[key]; !mine && theirs && !later && InIdentity(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// StoredConfig is the path of the whole config that a run keeps with its artifacts, "" if it is not on this machine.
func StoredConfig(run tracker.RunInfo) string { return storedFile(run, configFile) }

// HasModel reports whether a run's trained model is on this machine, or in a bucket, from where OpenRun fetches it.
func HasModel(run tracker.RunInfo) bool {
	return modelHere(run) || run.InBucket() && run.Status == string(tracker.Finished) &&
		run.Tags[tracker.TagImported] == ""
}

func modelHere(run tracker.RunInfo) bool {
	return storedFile(run, modelFile) != "" || storedFile(run, stackFile) != ""
}

// storedFile is the path of an artifact of a run, "" if there is none.
func storedFile(run tracker.RunInfo, name string) string {
	dir, err := run.ArtifactDir()
	if path := filepath.Join(dir, name); err == nil && isFile(path) {
		return path
	}
	return ""
}

// CanResume reports whether an unfinished run has a saved state, or is one of ours in a bucket, which may have one.
func CanResume(run tracker.RunInfo) bool {
	return run.Status != string(tracker.Finished) &&
		(run.InBucket() && run.Params[ParamConfigHash] != "" || hasState(run))
}

// hasState reports whether this machine has the saved state of a run.
func hasState(run tracker.RunInfo) bool {
	return storedFile(run, stateFile) != "" || storedFile(run, stackStateFile) != ""
}

// ownTags are the tags that a training writes, except those of its config.
var ownTags = []string{TagDigest, TagSource, TagCriterion, TagResumed, TagDiverged, TagEnded, tagGitHead, tagGitHeads,
	tagEntities, tagRelations, tagTests, tagStackRuns, "binary_version", "go_version", "cpu", "cores", "os", "host",
	"simd",
	"roots", "threads", "model",
	"variant", "seed", "graph", "graph_digest", "numerics_version", "config_hash", "best_epoch", tracker.TagImported}

// IsOwnTag reports whether a training writes a tag and tables or programs rely on it.
func IsOwnTag(key string) bool { return slices.Contains(ownTags, key) }
