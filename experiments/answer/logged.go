package answer

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// Names of params besides the config keys.
const (
	ParamGraph       = "graph" // the graph's name
	ParamGraphDigest = "graph_digest"
	ParamNumerics    = "numerics_version"
)

// Names of tags that are read again.
const (
	TagDigest     = "checkpoint_digest"
	TagModules    = "notebook.modules"          // modules with their versions that the notebook imports
	TagEntryPoint = "mlflow.project.entryPoint" // how the run was started, for MLflow's pages
	TagSource     = "data_source"               // absolute folder of the graph
	TagCriterion  = tracker.TagCriterion        // of the plain metric keys
	TagResumed    = "resumed"                   // how often
	TagSweep      = "sweep"                     // name of the sweep's file, of a run that a sweep trained
	TagTrial      = "trial"                     // number, from 1, of a run that is a trial of a search
	TagDiverged   = "diverged"                  // set if the numbers of the training diverged; it would fail again
	TagEnded      = "ended_after"               // epoch after which the training was ended before its config does
	TagGitHead    = "git_head"                  // of the program that began the run
	TagGitHeads   = "git_heads"                 // of all programs that have worked on it, if there are several
	TagEntities   = "entities"                  // how many the graph has
	TagRelations  = "relations"
	TagTests      = "test_facts"
	TagTypes      = "types_digest"  // kg.Graph.TypesDigest
	TagBestEpoch  = "best_epoch"    // of the model that was kept, with early stopping
	TagHeads      = "heads"         // how an inductive model asks for heads
	TagCuts       = "default_cut"   // eval.DefaultCuts as JSON
	TagRefitOf    = "refit_of"      // id of the run that was measured before its model was trained again on all facts
	TagFrom       = "imported_from" // what a model of another program was, see Runner.ImportModel
	TagWorth      = "worth"         // lines that say what the answers add to a lookup of what is known
)

// ParamStack has the checkpoint digests of the models that a stack combines, separated by spaces. Other runs lack it.
const ParamStack = "stack"

// ParamScores has the digest of another program's scores, see scorefile.Scores.Digest. Other runs lack it.
const ParamScores = "scores_digest"

// ParamRefit has, of the refit of a stack, the checkpoint digest of the stack that was measured, whose weights it has.
// Other runs lack it.
const ParamRefit = "refit"

// TagStackRuns has the ids of the runs whose models a stack combines.
const TagStackRuns = "stack_runs"

// Logged is how a run was made, as far as it has logged that. It is parsed once, by ReadLogged.
type Logged struct {
	// nil for a run of another program; a key that was not logged has its default, see Unlogged
	Config      *config.Config
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

	RefitOf string // id of the run that was measured, see TagRefitOf; "" for others
	Refit   string // see ParamRefit; "" for others

	// Model, Variant and Seed are those of the config, or what another program calls so; "" if that was not logged.
	Model, Variant, Seed string

	Checkpoint  string            // digest of the trained model, "" before the end of the training
	Criterion   string            // name of the primary cut, "" without an evaluation
	DefaultCuts *eval.DefaultCuts // of answers where none is named; nil where the usual one is
	Worth       []string          // what the answers add to a lookup of what is known, a sentence for each side and cut
	GitHeads    []string          // commits of the programs that worked on the run, the first one first
	Resumed     int               // how often
	Imported    bool              // from a file: the run has no artifacts
	Ended       int               // epoch after which the training was ended before its config does; 0: it was not
	Sweep       string            // name of the file of the sweep that trained the run, "" for others
	From        string            // what the model was in another program, which trained it; "" for others
}

// ReadLogged reads how a stored run was made. It never fails: what is missing or not understood is left empty.
func ReadLogged(run tracker.RunInfo) Logged {
	number := func(text string) int {
		n, _ := strconv.Atoi(text) // absent means 0
		return n
	}
	p, t := run.Params, run.Tags
	return Logged{Config: config.FromParams(p), ConfigHash: p[config.ParamHash], Graph: p[ParamGraph],
		GraphDigest: p[ParamGraphDigest], Source: t[TagSource], Entities: number(t[TagEntities]),
		Relations: number(t[TagRelations]), Tests: number(t[TagTests]), Numerics: number(p[ParamNumerics]),
		Stack: strings.Fields(p[ParamStack]), StackRuns: strings.Fields(t[TagStackRuns]), RefitOf: t[TagRefitOf],
		Refit: p[ParamRefit], Model: p["model"],
		Variant: p["variant"], Seed: p["seed"], Checkpoint: t[TagDigest], Criterion: t[TagCriterion], Sweep: t[TagSweep],
		DefaultCuts: readCuts(t[TagCuts]),
		Worth:       slices.Collect(strings.Lines(t[TagWorth])),
		GitHeads:    strings.Fields(cmp.Or(t[TagGitHeads], t[TagGitHead])), Resumed: number(t[TagResumed]),
		Ended: number(t[TagEnded]), Imported: t[tracker.TagImported] != "", From: t[TagFrom]}
}

// HasEpochs reports whether the run is a training of epochs: a stack is fitted, and a counted model or an inductive one
// that is not tuned is made, at once.
func (l Logged) HasEpochs() bool {
	return l.IsTuned() || l.From == "" && !sphere.IsUntrained(l.Model) && !strings.Contains(l.Model, sphere.StackedBy)
}

// IsTuned reports whether the run has tuned an inductive model to its graph.
func (l Logged) IsTuned() bool { return l.Config != nil && l.Config.Inductive.Epochs > 0 }

// Title names the model in tables, as sphere.Title does: "SpherE-2D", "ULTRA 50g, tuned", "RotatE, imported",
// "Scores of umls.tsv".
func (l Logged) Title() string {
	if l.IsTuned() {
		return sphere.Title(l.Model) + ", tuned"
	}
	if l.Model == sphere.Scores {
		return "Scores of " + l.From
	}
	if l.From != "" {
		return sphere.Title(l.Model) + ", imported"
	}
	return sphere.Title(l.Model)
}

// Unlogged are the config keys that decide numbers, of which run has logged no value and other has: in the Logged of
// run they are today's defaults, which need not be what the run had. Keys that did not exist then are left out, since
// what such runs had is known.
func Unlogged(run, other tracker.RunInfo) (keys []string) {
	for _, key := range config.Keys() {
		_, mine := run.Params[key]
		_, later := config.Before(key)
		if _, theirs := other.Params[key]; !mine && theirs && !later && config.InIdentity(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// StoredConfig returns the path of the whole config that a run keeps with its artifacts, "" if it is not on this
// machine.
func StoredConfig(run tracker.RunInfo) string { return storedFile(run, ConfigFile) }

// HasModel reports whether a run's trained model is on this machine, or in a bucket, from where Open fetches it.
func HasModel(run tracker.RunInfo) bool {
	return modelHere(run) || run.InBucket() && run.Status == string(tracker.Finished) &&
		run.Tags[tracker.TagImported] == ""
}

func modelHere(run tracker.RunInfo) bool {
	return storedFile(run, ModelFile) != "" || storedFile(run, StackFile) != "" || storedFile(run, CountedFile) != "" ||
		storedFile(run, ScoresFile) != ""
}

// storedFile is the path of an artifact of a run, "" if there is none.
func storedFile(run tracker.RunInfo, name string) string {
	dir, err := run.ArtifactDir()
	if path := filepath.Join(dir, name); err == nil && filekind.IsFile(path) {
		return path
	}
	return ""
}

// CanResume reports whether an unfinished run has a saved state, or is one of ours in a bucket, which may have one.
func CanResume(run tracker.RunInfo) bool {
	return run.Status != string(tracker.Finished) &&
		(run.InBucket() && run.Params[config.ParamHash] != "" || HasState(run))
}

// HasState reports whether this machine has the saved state of a run.
func HasState(run tracker.RunInfo) bool {
	return storedFile(run, StateFile) != "" || storedFile(run, StackStateFile) != "" ||
		storedFile(run, CountedStateFile) != ""
}

// ownTags has the tags that a training writes, except those of its config.
var ownTags = []string{TagFrom, TagWorth, TagCuts, TagRefitOf,
	TagDigest, TagSource, TagCriterion, TagResumed, TagDiverged, TagEnded, TagGitHead, TagGitHeads,
	TagEntities, TagRelations, TagTests, TagTypes, TagStackRuns, TagModules, "binary_version", "go_version", "cpu", "cores", "os", "host",
	"simd",
	"roots", "threads", "model",
	"variant", "seed", "graph", "graph_digest", "numerics_version", "config_hash", TagBestEpoch, tracker.TagImported}

// IsOwnTag reports whether a training writes a tag and tables or programs rely on it.
func IsOwnTag(key string) bool { return slices.Contains(ownTags, key) }
