package kg

import (
	"embed"
	"fmt"
	"strings"
)

// bundledFiles has the bundled graph. The README in its folder describes it and its sources.
//
//go:embed bundled/train.tsv bundled/valid.tsv bundled/test.tsv
var bundledFiles embed.FS

// Bundled returns the embedded graph of facts about physicists and chemists. Its Name is "bundled" and its Source is
// empty.
func Bundled() (*Graph, error) {
	var splits [3][][3]string
	for _, s := range []Split{Train, Valid, Test} {
		facts, err := bundledFacts(s)
		if err != nil {
			return nil, fmt.Errorf("bundled graph: %w", err)
		}
		for _, f := range facts {
			splits[s] = append(splits[s], f.triple)
		}
	}
	g, err := New("bundled", splits[Train], splits[Valid], splits[Test])
	if err != nil {
		return nil, fmt.Errorf("bundled graph: %w", err)
	}
	return g, nil
}

// bundledFact is one line of an embedded file: head, relation, tail, and the name of a source for the fact.
type bundledFact struct {
	triple [3]string
	source string
}

func bundledFacts(s Split) ([]bundledFact, error) {
	file := "bundled/" + s.String() + ".tsv"
	data, err := bundledFiles.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var facts []bundledFact
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		columns := strings.Split(strings.TrimSuffix(text, "\n"), "\t")
		if len(columns) != 4 {
			return nil, fmt.Errorf("%s:%d: %d columns, expected 4: head, relation, tail, source", file, line,
				len(columns))
		}
		facts = append(facts, bundledFact{[3]string(columns[:3]), columns[3]})
	}
	return facts, nil
}
