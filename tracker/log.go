package tracker

// Records are what a client of a server logs to a run in one request.
type Records struct {
	Points       []MetricPoint
	Params, Tags map[string]string
}

// TagImported marks a run whose records came from a file. It has no artifacts.
const TagImported = "imported"
