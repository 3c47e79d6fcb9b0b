package tracker

// Dataset is data that a run used, as MLflow stores it. Tags may have mlflow.data.context, what it was used for.
type Dataset struct {
	Name, Digest       string // the digest has at most 36 characters
	SourceType, Source string // the kind of Source, and where the data is from
	Schema, Profile    string // JSON; may be empty
	Tags               map[string]string
}
