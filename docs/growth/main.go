// Command growth draws how the cost of a training step, and of a query, grows: one picture per axis of BenchmarkGrowth.
//
//	go run ./docs/growth CSV FOLDER
//
// It reads the lines "axis,value,milliseconds" that benchtable wrote and writes FOLDER/growth-AXIS.svg.
package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spherelab/spherelab/chart"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./docs/growth CSV FOLDER")
		os.Exit(2)
	}
	if err := draw(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// axis is one thing that grows while the others stay as BenchmarkGrowth has them.
type axis struct {
	name, title, label, others string
	unit                       string // of a measured time; "": step
	shared                     bool   // more of it shares the work instead of adding to it
}

func axes() []axis {
	return []axis{
		{name: "entities", title: "A step by the number of entities", label: "entities",
			others: "200 blocks, 1,000 positives with 25 negatives each; from 40,000 on by windows"},
		{name: "dimensions", title: "A step by the number of blocks", label: "blocks (D)",
			others: "20,000 entities, 1,000 positives with 25 negatives each"},
		{name: "negatives", title: "A step by the number of negatives", label: "negatives per positive",
			others: "20,000 entities, 200 blocks, 1,000 positives"},
		{name: "threads", title: "A step by the number of threads", label: "threads",
			others: "20,000 entities, 200 blocks, 1,000 positives with 25 negatives each", shared: true},
		{name: "query-edges", title: "A query of an inductive network by the number of edges", label: "edges",
			others: "4,000 entities, width 64, six layers, one thread", unit: "query"},
		{name: "query-entities", title: "A query of an inductive network by the number of entities", label: "entities",
			others: "80,000 edges, width 64, six layers, one thread", unit: "query"},
	}
}

// draw writes the pictures of all axes.
func draw(file, folder string) error {
	points, err := read(file)
	if err != nil {
		return err
	}
	for _, a := range axes() {
		measured, ok := points[a.name]
		if !ok {
			return fmt.Errorf("%s has no line of axis %s: run all of BenchmarkGrowth", file, a.name)
		}
		if err := a.picture(measured).WriteFile(filepath.Join(folder, "growth-"+a.name+".svg")); err != nil {
			return err
		}
	}
	return nil
}

// picture shows the measured times next to times in proportion.
func (a axis) picture(measured chart.Series) chart.Chart {
	measured.Name = "measured"
	for i, ms := range measured.Y {
		measured.Marked = append(measured.Marked, i)
		measured.Names = append(measured.Names, strconv.FormatFloat(ms, 'g', 3, 64)+" ms")
	}
	// Through the last point: costs that do not grow show as a curve that leaves the line on the way down. Threads
	// start from what one takes.
	last := len(measured.Y) - 1
	proportion := chart.Series{Name: "in proportion", X: measured.X}
	for _, x := range measured.X {
		if a.shared {
			proportion.Y = append(proportion.Y, measured.Y[0]*measured.X[0]/x)
		} else {
			proportion.Y = append(proportion.Y, measured.Y[last]*x/measured.X[last])
		}
	}
	caption := "SpherE-2D, " + a.others
	if a.unit != "" {
		caption = "Random graph, " + a.others
	}
	return chart.Line(chart.Options{
		Title: a.title, Caption: caption, XLabel: a.label, YLabel: "ms per " + cmp.Or(a.unit, "step"),
		LogX: !a.shared, LogY: !a.shared, // there are few threads
	}, measured, proportion)
}

// read returns the points of every axis in the order of the file.
func read(file string) (map[string]chart.Series, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	const columns = 3
	points := make(map[string]chart.Series)
	for i, line := range lines {
		if i == 0 {
			continue // the names of the columns
		}
		if len(line) != columns {
			return nil, fmt.Errorf("%s:%d: %d columns, want axis, value, milliseconds", file, i+1, len(line))
		}
		x, errX := strconv.ParseFloat(line[1], 64)
		y, errY := strconv.ParseFloat(line[2], 64)
		if errX != nil || errY != nil || !(x > 0) || !(y > 0) {
			return nil, fmt.Errorf("%s:%d: value %q and milliseconds %q must be positive numbers", file, i+1, line[1],
				line[2])
		}
		s := points[line[0]]
		s.X, s.Y = append(s.X, x), append(s.Y, y)
		points[line[0]] = s
	}
	return points, nil
}
