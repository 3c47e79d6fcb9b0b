package present

import (
	"strings"

	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// hintWords has what to type for each action. PROGRAM is how the user calls this program, SUBJECT what the action is
// done to. TestEveryHintHasWords checks that every action is here.
var hintWords = map[hint.Action]string{
	hint.TrainConfig:     "`PROGRAM train SUBJECT` makes one",
	hint.TrainDimensions: "`PROGRAM sweep " + search.DimensionSweep + "` trains them",
	hint.TrainPatterns:   "`PROGRAM sweep " + search.PatternSweep + "` trains what is missing",
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
	hint.NameModel:       "--model says it, one of SUBJECT",
	hint.NameNormFlag:    "--norm-flag true or --norm-flag false says it",
	hint.NameRows:        "--names names another folder",
	hint.MeasureRun:      "`PROGRAM eval SUBJECT` and `PROGRAM runs calibration SUBJECT` measure it",
	hint.MeasureHidden:   "`PROGRAM eval SUBJECT --facts FILE` measures this one on facts that it has not seen",
	hint.CompareRuns:     "`PROGRAM eval RUN --against RUN` compares two runs",
}

// Hints returns what to type, "" without hints. program is how this program is called.
func Hints(hints []hint.Hint, program string) string {
	var parts []string
	for _, h := range hints {
		subject := h.Subject
		switch h.Action {
		case hint.ResumeRun, hint.FinishRun, hint.RestoreRun, hint.ExportRun, hint.MeasureRun,
			hint.MeasureHidden:
			subject = tracker.ShortID(subject)
		}
		words := strings.NewReplacer(" SUBJECT", strings.TrimRight(" "+subject, " "), "PROGRAM",
			program).Replace(hintWords[h.Action])
		parts = append(parts, words)
	}
	return strings.Join(parts, "; ")
}

// Error returns an error's text on one line, and what may be done about it. The error of a SQL query keeps its lines,
// which show the place in the query.
func Error(err error, program string) string {
	text := OneLine(err)
	if code := tracker.ErrorCode(err); code == tracker.CodeSQL || code == tracker.CodeReadOnly {
		text = err.Error()
	}
	if words := Hints(hint.Of(err), program); words != "" {
		text += "; " + words
	}
	return text
}

// OneLine returns an error of several lines, such as joined errors, on one line.
func OneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}
