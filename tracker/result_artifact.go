package tracker

// MLflow's API has no tables for the results of evaluations: to its clients they are artifacts, a line of JSON each.
const (
	RelationArtifact = "evaluation/relations.jsonl"
	ResultArtifact   = "evaluation/results.jsonl"
)

// The tags say that a run has such an artifact, and change with it.
const (
	TagRelations = "spherelab.relations"
	TagResults   = "spherelab.results"
)

// IsEvaluationArtifact reports whether an artifact is one of the two.
func IsEvaluationArtifact(name string) bool {
	return name == RelationArtifact || name == ResultArtifact
}
