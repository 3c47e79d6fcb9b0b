package scorefile_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/scorefile"
)

// The rows and columns of matrices about drinks: the asked end of a query has any text, and columns are in an order of
// their own.
const (
	matrixQueries = "tail,side,relation,head\nmilk,tail,drinks,Ann\n,tail,drinks,Bob\nmilk,head,drinks,?\n"
	matrixColumns = "name\tid\ntea\t2\nCid\t0\nAnn\t3\nmilk\t1\nBob\t4\n"
)

// matrixFolder is a folder of a matrix.
func matrixFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	return folder
}

// numbers is an array of numpy.save.
func numbers(kind, shape string, data any) string {
	var b bytes.Buffer
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", kind, shape)
	b.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	_ = binary.Write(&b, binary.LittleEndian, data)
	return b.String()
}

// zipped is a file of numpy.savez.
func zipped(t *testing.T, name, array string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name + ".npy")
	expect.NoError(t, err)
	_, err = w.Write([]byte(array))
	expect.NoError(t, err)
	expect.NoError(t, z.Close())
	return b.String()
}

// matrixScores are those of matrixQueries, by Cid, milk, tea, Ann and Bob.
func matrixScores() []float64 {
	return []float64{.1, 7.5, -2, math.NaN(), 1e-9, 3, 2, 1, 0, -1, math.NaN(), math.NaN(), 4, .25, 1. / 3}
}

// TestMatrix compares matrices of every form with the same scores as a text.
func TestMatrix(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	wide := matrixScores()
	narrow := make([]float32, len(wide))
	for i, x := range wide {
		narrow[i] = float32(x)
	}
	text := "side\thead\trelation\ttail\tscore\n"
	for i, x := range wide {
		if x != x {
			continue
		}
		e := []string{"Cid", "milk", "tea", "Ann", "Bob"}[i%5]
		text += fmt.Sprintf([]string{"tail\tAnn\tdrinks\t%s\t%v\n", "tail\tBob\tdrinks\t%s\t%v\n", "head\t%s\tdrinks\tmilk\t%v\n"}[i/5],
			e, x)
	}
	want := expect.Must[*scorefile.Scores](t)(scorefile.Read(strings.NewReader(text), "scores.tsv", g))
	double, single := numbers("<f8", "3, 5", wide), numbers("<f4", "3, 5", narrow)
	files := func(name, array string) map[string]string {
		return map[string]string{name: array, "queries.tsv": matrixQueries, "entities.tsv": matrixColumns}
	}
	for _, path := range []string{
		matrixFolder(t, files("scores.npy", double)), matrixFolder(t, files("scores.npy", single)),
		matrixFolder(t, files("scores.npz", zipped(t, "scores", single))),
		filepath.Join(matrixFolder(t, files("mine.npy", double)), "mine.npy"),
		filepath.Join(matrixFolder(t, files("mine.npz", zipped(t, "scores", double))), "mine.npz"),
	} {
		got := expect.Must[*scorefile.Scores](t)(scorefile.Open(path, g))
		if got.Lines() != want.Lines() || got.Coverage(kg.Test) != want.Coverage(kg.Test) {
			t.Errorf("%s: %d lines, %+v, want %d, %+v", path, got.Lines(), got.Coverage(kg.Test), want.Lines(), want.Coverage(kg.Test))
		}
		a, b := make([]float32, g.Entities.Len()), make([]float32, g.Entities.Len())
		for _, q := range []string{"tail Ann", "tail Bob", "head milk"} {
			side, known, _ := strings.Cut(q, " ")
			query := kg.Query{Side: kg.TailSide, Known: expect.Must[int32](t)(g.FindEntity(known))}
			if side == "head" {
				query.Side = kg.HeadSide
			}
			got.Model("got").Distances([]kg.Query{query}, a)
			want.Model("want").Distances([]kg.Query{query}, b)
			if !slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
				t.Errorf("%s: %s: distances %v, want %v", path, q, a, b)
			}
		}
		var packed bytes.Buffer
		r := expect.Must[interface {
			Read([]byte) (int, error)
			Close() error
		}](t)(scorefile.OpenText(path, g))
		digest, err := scorefile.Pack(&packed, r, path)
		expect.NoError(t, err)
		expect.NoError(t, r.Close())
		if digest != got.Digest() {
			t.Errorf("%s: packed %s, read %s", path, digest, got.Digest())
		}
	}
}

// TestMatrixRefused: what is wrong is named by file, line or row, and remedy.
func TestMatrixRefused(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	wide := matrixScores()
	infinite := slices.Clone(wide)
	infinite[6] = math.Inf(-1)
	whole := numbers("<f8", "3, 5", wide)
	for want, change := range map[string][2]string{
		"has 4 rows, and":    {"scores.npy", numbers("<f8", "4, 5", append(wide[:15:15], 1, 2, 3, 4, 5))},
		"has 4 columns, and": {"scores.npy", numbers("<f8", "3, 4", wide[:12])},
		"3 lines below its header; write a line for each ro":                          {"scores.npy", numbers("<f8", "5, 3", wide)},
		"has 112 bytes of numbers, which is not what its shape (3, 5) needs":          {"scores.npy", whole[:len(whole)-8]},
		"has 1 dimensions; it needs a row for each query":                             {"scores.npy", numbers("<f8", "15,", wide)},
		`scores.npy holds "<i8"; write float32 or float64`:                            {"scores.npy", numbers("<i8", "3, 5", make([]int64, 15))},
		"scores.npy is not an array of .npy version 1; write it by":                   {"scores.npy", "side\thead"},
		"row 1, column 1 (milk): -Inf is not a finite 32 bit number; write NaN":       {"scores.npy", numbers("<f8", "3, 5", infinite)},
		"no such file or directory; a matrix of scores has queries":                   {"queries.tsv", ""},
		"queries.tsv:1: the header has no column relation; it must":                   {"queries.tsv", "side,head,tail\n"},
		`queries.tsv:3: column side: "both" is neither head nor tail`:                 {"queries.tsv", strings.Replace(matrixQueries, ",tail,drinks,Bob", ",both,drinks,Bob", 1)},
		`queries.tsv:3: column head: graph tea has no entity "Rob"`:                   {"queries.tsv", strings.Replace(matrixQueries, "Bob", "Rob", 1)},
		`queries.tsv:4: column tail: graph tea has no entity "soda"`:                  {"queries.tsv", strings.Replace(matrixQueries, "milk,head", "soda,head", 1)},
		"queries.tsv:3: the query (Ann, drinks, ?) is in line 2 already; keep one":    {"queries.tsv", strings.Replace(matrixQueries, "Bob", "Ann", 1)},
		"entities.tsv:1: the header has no column id; it must name id, name":          {"entities.tsv", "name\ntea\n"},
		`entities.tsv:3: id "2" is not a number from 0 to 4 that no other line`:       {"entities.tsv", strings.Replace(matrixColumns, "Cid\t0", "Cid\t2", 1)},
		`entities.tsv:5: id "9" is not a number from 0 to 4`:                          {"entities.tsv", strings.Replace(matrixColumns, "milk\t1", "milk\t9", 1)},
		`entities.tsv:4: column name: graph tea has no entity "Anna"; nearest: "Ann"`: {"entities.tsv", strings.Replace(matrixColumns, "Ann", "Anna", 1)},
		`entities.tsv:6: entity "Ann" has a column in line 4 already; keep one`:       {"entities.tsv", strings.Replace(matrixColumns, "Bob", "Ann", 1)},
	} {
		files := map[string]string{"scores.npy": whole, "queries.tsv": matrixQueries, "entities.tsv": matrixColumns}
		if files[change[0]] = change[1]; change[1] == "" {
			delete(files, change[0])
		}
		if _, err := scorefile.Open(matrixFolder(t, files), g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	named := matrixFolder(t, map[string]string{"mine.npz": zipped(t, "arr_0", whole)})
	for path, want := range map[string]string{
		filepath.Join(named, "mine.npz"): `mine.npz has no array scores; write it by numpy.savez("mine.npz", scores=...)`,
		named:                            "scores.npy: no such file",
	} {
		if _, err := scorefile.Open(path, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
