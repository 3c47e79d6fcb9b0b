package kg

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// fill draws the splits that a folder lacks from its training triples, by d. lacks has the reason for each split, ""
// for one that exists. fill returns how they were drawn, nil if none is missing.
func (b *builder) fill(d Division, lacks [3]string) (*tripleFile, error) {
	var reasons []string
	for _, s := range []Split{Valid, Test} {
		if lacks[s] != "" {
			reasons = append(reasons, lacks[s])
		}
	}
	if len(reasons) == 0 {
		return nil, nil
	}
	kept := b.parts
	f := &tripleFile{path: kept[Train].file, b: b, seen: map[Triple]bool{}, inFolder: true}
	f.columns[3] = -1
	for i, t := range kept[Train].triples {
		if !f.seen[t] {
			f.add(t, kept[Train].line(i), Train)
		}
	}
	if lacks[Valid] == "" {
		d.Valid = 0
	}
	if lacks[Test] == "" {
		d.Test = 0
	}
	reason := strings.Join(reasons, " and ") + ": "
	name := filepath.Base(f.path)
	switch n := len(f.triples); {
	case d.Valid == 0 && d.Test == 0:
		f.division = reason + "none are drawn from " + name
		b.parts = kept
		return f, nil
	case n < minDivided:
		f.division = reason + fmt.Sprintf("all %s of %s are for training; fewer than %d are not divided",
			quantity.CountOf(n, "triple", "triples"), name, minDivided)
		b.parts = kept
		return f, nil
	}
	text, err := f.divide(d)
	f.division = reason + name + " is " + text
	for _, s := range Splits() {
		b.parts[s].first, b.parts[s].firstLine = kept[s].first, kept[s].firstLine
		if s != Train && lacks[s] == "" {
			b.parts[s] = kept[s]
		}
	}
	// Duplicates were left out of the division; they are counted again over the whole file.
	if repeats := len(kept[Train].triples) - len(f.triples); repeats > 0 {
		f.b.warnings = append(f.b.warnings, Warning{Kind: DuplicateTriple, File: f.path,
			Line: firstRepeat(&kept[Train]), Count: repeats, Message: repeat(repeats) + " a triple; the first is in this line; each triple counts once"})
	}
	return f, err
}

// firstRepeat returns the line of the first triple that is also in an earlier line.
func firstRepeat(p *part) int {
	seen := map[Triple]bool{}
	for i, t := range p.triples {
		if seen[t] {
			return p.line(i)
		}
		seen[t] = true
	}
	return 0
}
