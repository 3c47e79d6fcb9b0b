package main

import (
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// hintWords says what to type for each action; PROGRAM is how the user calls this program and SUBJECT what the action
// is done to. TestEveryHintHasWords holds that every action is here.
var hintWords = map[hint.Action]string{
	hint.TrainConfig:     "`PROGRAM train SUBJECT` makes one",
	hint.TrainDimensions: "`PROGRAM sweep " + experiments.DimensionSweep + "` trains them",
	hint.TrainPatterns:   "`PROGRAM sweep " + experiments.PatternSweep + "` trains what is missing",
	hint.ResumeRun:       "`PROGRAM train --resume SUBJECT` resumes it",
	hint.FinishRun:       "`PROGRAM train --finish SUBJECT` evaluates it as it is",
	hint.ListRuns:        "`PROGRAM runs ls` lists all",
	hint.RestoreRun:      "`PROGRAM runs restore SUBJECT` restores it",
	hint.ExportRun:       "`PROGRAM runs export SUBJECT` writes a run to a file",
	hint.ImportResults:   "`PROGRAM runs import` stores them in this tracker",
	hint.FetchGraph:      "`PROGRAM data get SUBJECT` fetches it",
	hint.NameDataFolder:  "--data names the folder that contains the data sets",
	hint.MigrateTracker:  "`PROGRAM tracker migrate` brings the database up to date",
	hint.NameTracker:     "--tracker postgres://user@host:5432/database names a database",
	hint.NameToken:       "SPHERELAB_TOKEN or MLFLOW_TRACKING_TOKEN is the server's token, SPHERELAB_TOKEN_FILE a file with it",
	hint.NameHome:        "--data-dir or SPHERELAB_HOME names another data directory",
	hint.NameDatabase:    "DATABASE_URL=postgres://user:password@host:5432/database names a server that runs already",
	hint.NameReader:      "SPHERELAB_READER_URL names a login that may only SELECT",
	hint.NameKernel:      "choose another --name",
	hint.NamePrefix:      "--prefix names the folder under which Jupyter is installed",
	hint.InstallForUser:  "--user installs for you alone",
	hint.ShowFull:        "--full shows them",
	hint.ShowRuns:        "--all shows every run",
	hint.ShowVariant:     "--variant SUBJECT shows it",
	hint.NameColumns:     "--columns SUBJECT reads it so",
	hint.NameRelation:    "--relation SUBJECT names it",
	hint.ChooseQuotes:    "--quotes SUBJECT reads it otherwise (none: quotes are part of the names; csv: they enclose fields)",
	hint.UseCut:          "--cut SUBJECT chooses it",
	hint.CompareRuns:     "`PROGRAM eval RUN --against RUN` compares two runs",
}

// hintText says what to type, "" without hints.
func hintText(hints []hint.Hint, program string) string {
	var parts []string
	for _, h := range hints {
		subject := h.Subject
		switch h.Action {
		case hint.ResumeRun, hint.FinishRun, hint.RestoreRun, hint.ExportRun:
			subject = tracker.ShortID(subject)
		}
		words := strings.NewReplacer(" SUBJECT", strings.TrimRight(" "+subject, " "), "PROGRAM",
			program).Replace(hintWords[h.Action])
		parts = append(parts, words)
	}
	return strings.Join(parts, "; ")
}

// withHints is an error's text on one line and what may be done about it. The error of a query keeps its lines, which
// show where in the query it is.
func withHints(err error, program string) string {
	text := oneLine(err)
	if code := tracker.ErrorCode(err); code == tracker.CodeSQL || code == tracker.CodeReadOnly {
		text = err.Error()
	}
	if words := hintText(hint.Of(err), program); words != "" {
		text += "; " + words
	}
	return text
}
