package scorefile_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/scorefile"
)

const (
	negativeHeader = "side\thead\trelation\ttail\tnegatives\n"
	annTail        = "tail\tAnn\tdrinks\tmilk\ttea\tCid\n"
	annHead        = "head\tAnn\tdrinks\tmilk\tBob\n"
	cidTail        = "tail\tCid\tdrinks\tmilk\tAnn\tBob\ttea\n"
	cidHead        = "head\tCid\tdrinks\tmilk\ttea\tAnn\n"
)

// TestNegativesOfText reads lists of different lengths, in another order than the facts.
func TestNegativesOfText(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	ids := func(names ...string) (list []int32) {
		for _, name := range names {
			list = append(list, expect.Must[int32](t)(g.FindEntity(name)))
		}
		return list
	}
	got, err := scorefile.ReadNegatives(strings.NewReader(negativeHeader+cidHead+annTail+cidTail+annHead), "n", g, g.Test)
	expect.NoError(t, err)
	want := scorefile.Negatives{{ids("Bob"), ids("tea", "Ann")}, {ids("tea", "Cid"), ids("Ann", "Bob", "tea")}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

// TestNegativesRefused reads files that say what is wrong with them.
func TestNegativesRefused(t *testing.T) {
	t.Parallel()
	g := drinks(t)
	for text, want := range map[string]string{
		"":                                    "n:1: the header must be side, head, relation, tail, negatives",
		"side\thead\trelation\ttail\tscore\n": "n:1: the header must be",
		negativeHeader + annTail + annHead + cidTail:       "n has no negatives of the head query of the test fact (Cid, drinks, milk)",
		negativeHeader + annTail + annTail:                 "n:3: the tail query of (Ann, drinks, milk) has negatives in an earlier line",
		negativeHeader + "tail\tAnn\tdrinks\tmilk\n":       "n:2: the line has 4 columns",
		negativeHeader + "tail\tAnn\tdrinks\tmilk\tsoda":   `n:2: negative 1: graph tea has no entity "soda"`,
		negativeHeader + "tail\tAnn\tdrinks\tmilk\ttea\tm": `n:2: negative 2: graph tea has no entity "m"`,
		negativeHeader + "tail\tAnn\tdrinks\tmilk\tmilk":   `n:2: negative 1: "milk" is the answer of the fact itself`,
		negativeHeader + "head\tAnn\tdrinks\tmilk\tAnn":    `n:2: negative 1: "Ann" is the answer of the fact itself`,
		negativeHeader + "tail\tAnn\tdrinks\ttea\tmilk":    "n:2: (Ann, drinks, tea) is not a test fact of graph tea",
		negativeHeader + "tail\tAn\tdrinks\tmilk\ttea":     `n:2: column head: graph tea has no entity "An"`,
		negativeHeader + "both\tAnn\tdrinks\tmilk\ttea":    `n:2: column side: "both" is neither head nor tail`,
	} {
		_, err := scorefile.ReadNegatives(strings.NewReader(text), "n", g, g.Test)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// array is an .npy file, as numpy.save writes it.
func array(kind, shape string, numbers ...int64) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", kind, shape)
	raw := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	raw = append(raw, header...)
	for _, n := range numbers {
		if kind == "<i4" {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(n))
		} else {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(n))
		}
	}
	return raw
}

// TestNegativesOfArrays reads OGB's arrays, whose integers are names, of both widths. Their order is not the graph's.
func TestNegativesOfArrays(t *testing.T) {
	t.Parallel()
	g, err := kg.New("ogb", [][3]string{{"7", "4", "30"}, {"12", "4", "7"}}, nil, [][3]string{{"30", "4", "12"}, {"12", "4", "30"}})
	expect.NoError(t, err)
	id := func(name string) int32 { return expect.Must[int32](t)(g.FindEntity(name)) }
	cut := array("<i8", "2, 1", 30, 7)
	cut[8] += 90 // of a header that was longer
	for _, c := range []struct {
		name string
		is   []byte
		want string // of the error
	}{
		{"head", array("<i8", "2,", 30, 12), ""},
		{"head", array("<i8", "2,", 12, 12), "row 0: (12, 4, 12) is not a test fact of graph ogb"},
		{"tail_neg", array("<i8", "1, 1", 30), "tail_neg.npy has 1 rows and head.npy has 2"},
		{"tail_neg", array("<i8", "2, 1", 30, 8), `row 1: negative 1: graph ogb has no entity "8"`},
		{"tail_neg", array("<i8", "2, 1", 7, 30), `row 1: negative 1: "30" is the answer of the fact itself`},
		{"tail_neg", array("<i8", "2, 2", 30, 7), "tail_neg.npy has 16 bytes, which is not what its shape (2, 2) needs"},
		{"tail_neg", array("<f8", "2, 1", 30, 7), `tail_neg.npy holds "<f8"`},
		{"tail_neg", array("<i8", "2, 1, 1", 30, 7), "tail_neg.npy has 3 dimensions, and needs one or two"},
		{"tail_neg", cut, "tail_neg.npy is cut short in its header"},
		{"head_neg", []byte("1\t2"), "head_neg.npy is not an array of .npy version 1"},
		{"head_neg", nil, "head_neg.npy"},
	} {
		files := map[string][]byte{"head": array("<i8", "2,", 30, 12), "relation": array("<i4", "2,", 4, 4),
			"tail": array("<i8", "2,", 12, 30), "head_neg": array("<i8", "2, 2", 7, 12, 7, 30),
			"tail_neg": array("<i4", "2, 1", 30, 7), c.name: c.is}
		folder := t.TempDir()
		for name, raw := range files {
			if raw != nil {
				expect.NoError(t, os.WriteFile(filepath.Join(folder, name+".npy"), raw, 0o644))
			}
		}
		got, err := scorefile.OpenNegatives(folder, g, g.Test)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			continue
		}
		expect.NoError(t, err)
		want := scorefile.Negatives{{{id("7"), id("12")}, {id("7"), id("30")}}, {{id("30")}, {id("7")}}}
		if g.Test[0].Head != id("30") {
			for side := range want {
				slices.Reverse(want[side])
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read %v, want %v", got, want)
		}
	}
}
