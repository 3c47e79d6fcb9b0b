package session

import (
	"strings"

	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// hintWords has what to write in a cell for each action. SUBJECT is the hint's subject. Actions that cells do not have
// are commands for a terminal.
var hintWords = map[hint.Action]string{
	hint.TrainConfig:     "lab.Train(g, m) makes one",
	hint.TrainDimensions: "`spherelab sweep " + search.DimensionSweep + "` in a terminal trains them",
	hint.TrainPatterns:   "`spherelab sweep " + search.PatternSweep + "` in a terminal trains what is missing",
	hint.ResumeRun:       `lab.Resume("SUBJECT") resumes it`,
	hint.FinishRun:       `lab.Finish("SUBJECT") evaluates it as it is`,
	hint.ListRuns:        "lab.Runs() lists all",
	hint.RestoreRun:      "`spherelab runs restore SUBJECT` in a terminal restores it",
	hint.ExportRun:       "`spherelab runs export SUBJECT` in a terminal writes a run to a file",
	hint.ImportResults:   "`spherelab runs import` in a terminal stores them in this tracker",
	hint.FetchGraph:      "`spherelab data get SUBJECT` in a terminal fetches it",
	hint.NameDataFolder:  "SPHERELAB_HOME names the folder whose folder data contains the data sets",
	hint.MigrateTracker:  "`spherelab tracker migrate` in a terminal brings the database up to date",
	hint.NameTracker:     "DATABASE_URL=postgres://user@host:5432/database names a database, set before the kernel starts",
	hint.NameHome:        "SPHERELAB_HOME names another data directory (set before the kernel starts)",
	hint.NameToken:       "SPHERELAB_TOKEN or MLFLOW_TRACKING_TOKEN is the server's token, SPHERELAB_TOKEN_FILE a file with it (set before the kernel starts)",
	hint.NameDatabase:    "DATABASE_URL=postgres://user:password@host:5432/database names a server that runs already (set before the kernel starts)",
	hint.NameReader:      "SPHERELAB_READER_URL names a login that may only SELECT (set before the kernel starts)",
	hint.NameKernel:      "`spherelab kernel install --name NAME` in a terminal takes another name",
	hint.NamePrefix:      "`spherelab kernel install --prefix FOLDER` in a terminal names the folder under which Jupyter is installed",
	hint.InstallForUser:  "`spherelab kernel install --user` in a terminal installs for you alone",
	hint.ShowFull:        "Write to a .json or .csv file has every row",
	hint.ShowRuns:        "lab.Run(id).Table() shows one",
	hint.ShowVariant:     `lab.Table(graph, "SUBJECT") shows it`,
	hint.NameColumns:     `lab.Graph(file, "file.columns=SUBJECT") reads it so`,
	hint.NameRelation:    `lab.Graph(file, "file.relation=SUBJECT") names it`,
	hint.ChooseQuotes:    `lab.Graph(file, "file.quotes=SUBJECT") reads it otherwise (none: quotes are part of the names; csv: they enclose fields)`,
	hint.UseCut:          `run.Cut("SUBJECT") chooses it`,
	hint.NameModel:       "`spherelab runs import-model PATH --model NAME` in a terminal says it, one of SUBJECT",
	hint.NameNormFlag:    "`spherelab runs import-model PATH --norm-flag true` in a terminal says it",
	hint.NameRows:        "`spherelab runs import-model PATH --names FOLDER` in a terminal names another folder",
	hint.MeasureRun:      `lab.Run("SUBJECT").Evaluate() measures it`,
	hint.MeasureHidden:   "`spherelab eval SUBJECT --facts FILE` in a terminal measures this one on facts that it has not seen",
	hint.CompareRuns:     "lab.Compare(a, b).Significance() compares two runs",
}

// hintText returns what to write, "" without hints.
func hintText(hints []hint.Hint) string {
	var parts []string
	for _, h := range hints {
		subject := h.Subject
		switch h.Action {
		case hint.ResumeRun, hint.FinishRun, hint.RestoreRun, hint.ExportRun, hint.MeasureRun,
			hint.MeasureHidden:
			subject = tracker.ShortID(subject)
		}
		words := hintWords[h.Action]
		if subject == "" {
			words = strings.ReplaceAll(words, " SUBJECT", "")
		}
		parts = append(parts, strings.ReplaceAll(words, "SUBJECT", subject))
	}
	return strings.Join(parts, "; ")
}
