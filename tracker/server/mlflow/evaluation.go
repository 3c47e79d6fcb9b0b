package mlflow

import (
	"context"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
)

// Results of evaluations are in tables of this project. Clients have them as artifacts: these are made from the tables,
// and what clients store is copied to the tables.

// longestResults limits the results of a run in bytes. A larger file is only an artifact.
const longestResults = 256 << 20

// evaluation returns the run whose results a file below the folder of artifacts has.
func (a *API) evaluation(ctx context.Context, file string) (id, name string, ok bool, err error) {
	name = path.Join(path.Base(path.Dir(file)), path.Base(file))
	folder, below := strings.CutSuffix(file, "/"+name)
	if !below || !tracker.IsEvaluationArtifact(name) {
		return "", "", false, nil
	}
	id = path.Base(path.Dir(folder)) // EXPERIMENT/RUN/artifacts
	of, _, err := a.folderOf(ctx, id)
	if f, refused := err.(*fault); refused && f.code != "INTERNAL_ERROR" {
		return "", "", false, nil // no run, or one whose artifacts are elsewhere
	}
	return id, name, err == nil && of == folder, err
}

// sendEvaluation sends a run's results. It sends nothing if the tables have none.
func (a *API) sendEvaluation(w http.ResponseWriter, r *http.Request, file string) (sent bool, err error) {
	id, name, ok, err := a.evaluation(r.Context(), file)
	if err != nil || !ok {
		return false, err
	}
	content, err := a.t.EvaluationArtifact(r.Context(), id, name)
	if err != nil || len(content) == 0 {
		return false, err
	}
	a.sendFile(w, r, path.Base(file), time.Time{}, strings.NewReader(string(content)))
	return true, nil
}

// storeEvaluation copies an artifact that was stored to the tables. Files with that name from other programs are only
// artifacts.
func (a *API) storeEvaluation(ctx context.Context, file string) error {
	id, name, ok, err := a.evaluation(ctx, file)
	if err != nil || !ok {
		return err
	}
	f, err := a.root.Open(file)
	if err != nil {
		return a.fileFault(err, file)
	}
	defer f.Close()
	err = a.t.StoreEvaluation(ctx, id, name, io.LimitReader(f, longestResults))
	if tracker.ErrorCode(err) == tracker.CodeInvalid {
		return nil
	}
	return err
}

// addEvaluations tags runs whose results are in a table. Rows are added and never changed, so their number
// distinguishes versions.
func (a *API) addEvaluations(ctx context.Context, index map[string]*run, ids []string, tag, table string) error {
	var counts []struct {
		Run  string `db:"run_uuid"`
		Rows int64
	}
	err := a.db.SelectContext(ctx, &counts, `SELECT run_uuid, count(*) AS rows FROM spherelab.`+table+`
		WHERE run_uuid = ANY ($1) GROUP BY run_uuid`, pq.Array(ids))
	for _, c := range counts {
		tags := slices.DeleteFunc(index[c.Run].Data.Tags, func(p pair) bool { return p.Key == tag })
		tags = append(tags, pair{Key: tag, Value: strconv.FormatInt(c.Rows, 10) + " rows"})
		slices.SortFunc(tags, func(x, y pair) int { return strings.Compare(x.Key, y.Key) })
		index[c.Run].Data.Tags = tags
	}
	return err
}
