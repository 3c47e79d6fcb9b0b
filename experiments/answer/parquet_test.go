package answer

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestParquet reads files of pyarrow, in several codecs, encodings and groups of rows: they are the text with the same
// rows, which a run keeps of them.
func TestParquet(t *testing.T) {
	t.Parallel()
	g := expect.Must[*kg.Graph](t)(kg.New("tea", [][3]string{{"Ann", "drinks", "tea"}, {"Bob", "drinks", "milk"}},
		[][3]string{{"Bob", "drinks", "tea"}}, [][3]string{{"Ann", "drinks", "milk"}, {"Cid", "drinks", "milk"}}))
	folder := filepath.Join("testdata", "parquet")
	want := expect.Must[*Scores](t)(OpenScores(filepath.Join(folder, "scores.tsv"), g))
	for _, name := range []string{"snappy", "zstd", "gzip", "category"} {
		path := filepath.Join(folder, name+".parquet")
		got := expect.Must[*Scores](t)(OpenScores(path, g))
		if got.Digest() != want.Digest() || got.Lines() != 7 {
			t.Errorf("%s: %d rows of digest %s, want %s", name, got.Lines(), got.Digest(), want.Digest())
		}
		var packed bytes.Buffer
		if digest, err := PackScores(&packed, path, g); err != nil || digest != want.Digest() {
			t.Errorf("%s: packed as %s, %v", name, digest, err)
		}
	}
	whole, err := os.ReadFile(filepath.Join(folder, "snappy.parquet"))
	expect.NoError(t, err)
	broken := filepath.Join(t.TempDir(), "broken.parquet")
	expect.NoError(t, os.WriteFile(broken, whole[:len(whole)-30], 0o644))
	whole[78] ^= 1 // in a page, of which the library panics
	damaged := filepath.Join(t.TempDir(), "damaged.parquet")
	expect.NoError(t, os.WriteFile(damaged, whole, 0o644))
	text := filepath.Join(t.TempDir(), "text.parquet")
	expect.NoError(t, os.WriteFile(text, []byte("side\thead\trelation\ttail\tscore\n"), 0o644))
	for path, want := range map[string]string{
		"no-score":   "no-score.parquet has no column score; it must have side, head, relation, tail, score",
		"text-score": "text-score.parquet: column score holds STRING; write names as strings and scores as float32 or float64",
		"null-head":  `null-head.parquet: row 2: column head: graph tea has no entity ""`,
		"null-score": `null-score.parquet: row 1: column score: "" is not a finite 32 bit number; leave a candidate`,
		"twice": "twice.parquet: row 7: the candidate has a score for this query at " +
			filepath.Join(folder, "twice.parquet") + ": row 4 already; keep one",
		"none":  "no such file",
		broken:  "broken.parquet is not a whole Parquet file; write it again",
		damaged: "damaged.parquet: the file is damaged: ",
		text:    "text.parquet is not a whole Parquet file; write it again",
	} {
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path+".parquet")
		}
		if _, err := OpenScores(path, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
