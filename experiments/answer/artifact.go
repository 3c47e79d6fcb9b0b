package answer

// Names of a run's artifacts.
const (
	ModelFile  = "model.safetensors" // the trained model
	StateFile  = "state.safetensors" // the state to resume from; deleted when the run is finished
	BestFile   = "best.safetensors"  // the best model so far, with early stopping; deleted when the run is finished
	ConfigFile = "config.yaml"       // the expanded config
	// GeometryFile is the text of a model that was registered with one.
	GeometryFile = "geometry.go"
	// ModulesFolder holds go.mod and go.sum of the modules that the notebook of the run imports.
	ModulesFolder = "modules"
	// thresholdsFile has the fitted thresholds, with eval.fit: a list of sphere.Thresholds by relation id.
	ThresholdsFile = "evaluation/thresholds.json"
	// calibrationFile has the probabilities of answers, with eval.calibrate: an eval.Calibrated.
	CalibrationFile = "evaluation/calibration.json"
	// FactFile has the probabilities of facts from both of their queries, an eval.Facts: of a stack, and of other runs
	// once they were asked for.
	FactFile = "evaluation/facts.json"

	// entitiesFile and relationsFile have the names of a run's entities and relations, in the order of the model's
	// rows. Their folder is not graphFolder, which holds a file that the user named.
	EntitiesFile  = "names/entities.tsv"
	RelationsFile = "names/relations.tsv"

	// stackFile and stackStateFile are a stack's StoredStack. The models that it combines lie next to them. The state
	// is there from the start, without what is fitted, and is deleted when the run is finished.
	StackFile      = "stack.json"
	StackStateFile = "stack-state.json"
	// CountedFile is a model without epochs; CountedStateFile says that its run can be resumed. It is deleted when the
	// run is finished.
	CountedFile      = "counted.json"
	CountedStateFile = "counted-state.json"
	// ScoresFile is, of a run of another program's scores, their text.
	ScoresFile = "scores.tsv.gz"
	// TuningFile is where the tuning of an inductive model continues, and TunedFile the best model so far, which is
	// written first. Both are deleted when the run is finished.
	TuningFile = "tuning-state.json"
	TunedFile  = "tuned-best.json"
)

// BestEpochKey is in the metadata of bestFile the epoch of its model.
const BestEpochKey = "epoch"
