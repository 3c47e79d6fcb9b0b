package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// ipynb is what these tests read of a notebook.
type ipynb struct {
	Cells []struct {
		Type    string `json:"cell_type"`
		ID      string
		Source  lines
		Outputs []notebookOutput
	}
	Metadata struct {
		Kernelspec map[string]string
		Language   map[string]any `json:"language_info"`
	}
}

type notebookOutput struct {
	Type  string `json:"output_type"`
	Name  string // of a stream
	Text  lines
	Data  map[string]lines
	Error string `json:"ename"`
	Value string `json:"evalue"`
}

// lines is a text that a notebook keeps as one string or as a list of lines.
type lines string

func (l *lines) UnmarshalJSON(raw []byte) error {
	var list []string
	if err := json.Unmarshal(raw, &list); err == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(raw, (*string)(l))
}

func readNotebook(t *testing.T, path string) ipynb {
	t.Helper()
	raw, err := os.ReadFile(path)
	expect.NoError(t, err)
	var n ipynb
	if err := json.Unmarshal(raw, &n); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}

// differing is what differs from run to run in the outputs of notebooks. Everything else has to be equal, digit for
// digit.
var differing = []struct {
	what    string
	pattern *regexp.Regexp
	instead string
}{
	{"run id after the word", regexp.MustCompile(`\brun [0-9a-f]{8}\b`), "run ID"},
	{"run id before its name", regexp.MustCompile(`\b[0-9a-f]{8} \(`), "ID ("},
	{"rest of a search", regexp.MustCompile(`takes about [0-9.hmµ]+ ?[mµ]?s more`), "takes about TIME more"},
	{"length of a training", regexp.MustCompile(`finished in [0-9.hm]+ ?s`), "finished in TIME"},
	{"length of trainings and evaluations",
		regexp.MustCompile(`(\d epochs in|final evaluation|from start to end|together|CPU) [0-9.hm]+ ?s\b`), "$1 TIME"},
	{"start of a run", regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d, took [0-9.hmµ]+s`), "START, took TIME"},
	{"metrics of the machine", regexp.MustCompile(`(>system/\w+</td>)(<td[^>]*>[^<]*</td>)+`), "$1"},
}

// masked replaces what differs from run to run.
func masked(text string) string {
	for _, d := range differing {
		text = d.pattern.ReplaceAllString(text, d.instead)
	}
	return text
}

func TestMasksKeepNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"run 9ab251db (quick-start): epoch 40 of 40 · loss 0.1500 · finished in 0.8 s · test: head F1 0.579":              "run ID (quick-start): epoch 40 of 40 · loss 0.1500 · finished in TIME · test: head F1 0.579",
		"runs: d74fd2ba (rotate), 7367454a (clean)":                                                                       "runs: ID (rotate), ID (clean)",
		"runs: SpherE-2D: d57e475e (paper, seed 42), 40 epochs in 0.4 s, final evaluation 0.1 s, from start to end 0.6 s": "runs: SpherE-2D: ID (paper, seed 42), 40 epochs in TIME, final evaluation TIME, from start to end TIME",
		"runs: 3 epochs in 4.0 s (CPU 1m7s), final":                                                                       "runs: 3 epochs in TIME (CPU TIME), final",
		"runs: 2, together 1h0m9s of training":                                                                            "runs: 2, together TIME of training",
		"started   2026-11-21 14:21, took 700ms":                                                                          "started   START, took TIME",
		"finished in 1m3s · test":                                                                                         "finished in TIME · test",
		`<td>system/rss_bytes</td><td style="x">6.5e+07</td></tr><tr><td>loss</td><td>0.17</td>`:                          `<td>system/rss_bytes</td></tr><tr><td>loss</td><td>0.17</td>`,
		"test/head_f1 0.53771 12345678 0.57912":                                                                           "test/head_f1 0.53771 12345678 0.57912",
		"digest 732a66af64f77ee7":                                                                                         "digest 732a66af64f77ee7",
	} {
		if got := masked(text); got != want {
			t.Errorf("%q is masked as %q, want %q", text, got, want)
		}
	}
}

// sameOutputs says where two runs of one notebook differ.
func sameOutputs(want, have ipynb) error {
	for i, c := range want.Cells {
		other := have.Cells[i]
		if len(c.Outputs) != len(other.Outputs) {
			return fmt.Errorf("cell %s has %d outputs, and %d in the file", c.ID, len(other.Outputs), len(c.Outputs))
		}
		for k, o := range c.Outputs {
			p := other.Outputs[k]
			if o.Type != p.Type || o.Name != p.Name ||
				!slices.Equal(slices.Sorted(maps.Keys(o.Data)), slices.Sorted(maps.Keys(p.Data))) {
				return fmt.Errorf("cell %s: output %d is another kind of thing than in the file", c.ID, k)
			}
			texts := map[string][2]lines{"text": {o.Text, p.Text}}
			for format := range o.Data {
				if _, drawn := o.Data["image/svg+xml"]; format == "image/png" && drawn {
					continue // the same picture, in bytes that differ by the version of the compressor
				}
				texts[format] = [2]lines{o.Data[format], p.Data[format]}
			}
			for format, pair := range texts {
				w, h := masked(string(pair[0])), masked(string(pair[1]))
				if w != h {
					at := 0
					for at < min(len(w), len(h)) && w[at] == h[at] {
						at++
					}
					from := max(0, at-60)
					return fmt.Errorf("cell %s, %s: the run has\n  %q\nthe file has\n  %q", c.ID, format,
						h[from:min(len(h), at+60)], w[from:min(len(w), at+60)])
				}
			}
		}
	}
	return nil
}

func TestSameOutputsFindsADigit(t *testing.T) {
	t.Parallel()
	a, b := readNotebook(t, inRoot("notebooks/01_quick_start.ipynb")),
		readNotebook(t, inRoot("notebooks/01_quick_start.ipynb"))
	if err := sameOutputs(a, b); err != nil {
		t.Error(err)
	}
	changed := 0
	for i := range b.Cells {
		for k, o := range b.Cells[i].Outputs {
			if text, ok := o.Data["text/plain"]; ok && strings.Contains(string(text), "0.") && changed == 0 {
				b.Cells[i].Outputs[k].Data["text/plain"] = lines(strings.Replace(string(text), "0.", "1.", 1))
				changed++
			}
		}
	}
	if err := sameOutputs(a, b); changed != 1 || err == nil {
		t.Errorf("%d digits changed: %v", changed, err)
	}
}

// machinePath is the beginning of an absolute path, which no notebook should show.
var machinePath = regexp.MustCompile(`(^|[\s"\\>'(=])(file://|/[\w.-]+/[\w.-])`)

func TestMachinePath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`"read from /some/where/family.csv"`: true, `<td>/some/where</td>`: true, `(/some/where)`: true,
		`\"file:///x\"`:        true,
		`read from family.csv`: false, `sub/family.csv`: false, `head / tail`: false,
		`<td>.831 / .401</td></tr>`: false, `of 40/50 epochs`: false,
	} {
		if found := machinePath.MatchString(text); found != want {
			t.Errorf("%s: found is %v", text, found)
		}
	}
}
