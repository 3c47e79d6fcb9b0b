package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `axis,value,milliseconds
entities,5000,4
entities,10000,6
dimensions,25,1
dimensions,200,8
negatives,5,3
negatives,400,90
threads,1,12
threads,2,6.5
query-edges,100,2
query-edges,200,3
query-entities,50,7
`

func write(t *testing.T, text string) (file, folder string) {
	t.Helper()
	folder = t.TempDir()
	file = filepath.Join(folder, "growth.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, folder
}

func TestOnePictureEach(t *testing.T) {
	file, folder := write(t, sample)
	if err := draw(file, folder); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"entities": {"entities 5,000, ms per step 4", "entities 5,000, ms per step 3",
			"entities 10,000, ms per step 6"},
		"dimensions":     {"blocks (D) 25, ms per step 1", "blocks (D) 200, ms per step 8"},
		"negatives":      {"negatives per positive 400, ms per step 90"},
		"query-edges":    {"edges 100, ms per query 2", "edges 100, ms per query 1.5", "Random graph"},
		"query-entities": {"entities 50, ms per query 7"},
		"threads":        {"threads 2, ms per step 6.5", "threads 2, ms per step 6<"},
	} {
		svg, err := os.ReadFile(filepath.Join(folder, "growth-"+name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(string(svg), text) {
				t.Errorf("growth-%s.svg has no %q", name, text)
			}
		}
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for text, want := range map[string]string{
		"axis,value,milliseconds\n":                  "has no line of axis entities",
		"axis,value,milliseconds\nentities,5000,x\n": `:2: value "5000" and milliseconds "x" must be positive`,
		"axis,value\nentities,5000\n":                ":2: 2 columns",
		strings.Split(sample, "threads")[0]:          "has no line of axis threads",
	} {
		file, folder := write(t, text)
		if err := draw(file, folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
