package session

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// Literal is a string that is being typed in a cell as an argument of a function of this package.
type Literal struct {
	Function string      // "Run" for lab.Run, "Run.Ask" for the method of a run
	Operand  string      // what a method is called on, as written in the cell
	Value    interface{} // value of the variable that Operand begins with; nil if it has none yet
	Index    int         // index of the argument, from 0; in a composite literal, of the element
	Before   []string    // the string arguments before it, "" for other arguments
	Nested   bool        // in a composite literal
	Typed    string      // up to the cursor
}

// Completer offers completions for string literals of cells: runs, configs, graphs, entities, relations, cuts, keys and
// files. Words may be called while a cell runs, but not concurrently.
type Completer struct {
	session *Session
	graphs  map[string]*kg.Graph // by graphKey, or the id of the run
}

// NewCompleter returns a completer for the cells of a session.
func NewCompleter(s *Session) *Completer { return &Completer{s, map[string]*kg.Graph{}} }

// maxWords is the max number of words for a front end: there can be many thousands of entities.
const maxWords = 200

// Words returns the completions of a literal: first those that begin with what is typed, then those with a word that
// does. A completion replaces what is typed, except for the first from characters. If something cannot be read, there
// are no completions.
func (c *Completer) Words(l Literal) (words []string, from int) {
	defer func() {
		if _, failed := recover().(*Error); failed {
			words, from = nil, 0
		}
	}()
	ctx := context.Background() // the running cell's context may have ended
	typed := l.Typed
	var all []string
	if l.Function == "Run.Expression" || l.Function == "Run.AskAll" && l.Nested && l.Index == 0 &&
		strings.ContainsAny(typed, "<>") {
		all, from = c.expression(ctx, l)
		typed = string([]rune(typed)[from:])
	} else {
		all = c.all(ctx, l)
	}
	return keepMatching(all, typed), from
}

// keepMatching keeps the words that fit what is typed.
func keepMatching(all []string, typed string) []string {
	typed = strings.ToLower(typed)
	var first, second []string
	for _, word := range all {
		switch lower := strings.ToLower(word); {
		case strings.HasPrefix(lower, typed):
			first = append(first, word)
		case strings.Contains(lower, " "+typed), strings.Contains(lower, "_"+typed), strings.Contains(lower, "/"+typed),
			strings.Contains(lower, "."+typed):
			second = append(second, word)
		}
	}
	list := append(first, second...)
	return list[:min(len(list), maxWords)]
}

// all returns all words that fit a literal's place.
func (c *Completer) all(ctx context.Context, l Literal) []string {
	switch l.Function {
	case "Run", "Resume", "Finish", "RunList.Named":
		return c.runs(ctx)
	case "Model":
		return slices.Concat(models(), files(".yaml", ".yml"))
	case "Model.Set", "Model.Get", "Run.Param":
		if l.Index == 0 {
			return config.Keys()
		}
		if l.Function == "Model.Set" && len(l.Before) == 1 {
			return slices.DeleteFunc(config.Choices(l.Before[0]), func(value string) bool { return value == "" })
		}
	case "Model.Variant":
		return sphere.Variants()
	case "Graph":
		if l.Index == 0 {
			return c.graphNames()
		}
		var keys []string
		for _, key := range config.Keys() {
			if ofGraph(key) {
				keys = append(keys, key+"=")
			}
		}
		return keys
	case "Table":
		if l.Index == 0 {
			return c.tables(ctx)
		}
		return sphere.Variants()
	case "Run.Cut":
		return eval.CutNames()
	case "Run.Metric":
		if r, ok := l.Value.(*Run); ok && r != nil {
			return slices.Sorted(maps.Keys(r.run.Stored.Metrics))
		}
	case "Run.AskFile":
		return files(".tsv", ".csv", ".txt")
	case "Run.AskAll":
		if l.Nested {
			return c.names(ctx, l, l.Index)
		}
	case "Run.Ask", "Run.Explain", "Run.Circles", "Run.Explore":
		return c.names(ctx, l, l.Index)
	case "Run.Predict":
		if l.Index > 0 {
			return []string{"all", "seen", "head", "tail"}
		}
		return c.names(ctx, l, 1)
	case "Run.PrecisionRecall", "Set.Then", "Set.Before":
		return c.names(ctx, l, 1)
	case "Run.Between", "Set.Has", "Set.Score":
		return slices.DeleteFunc(c.names(ctx, l, 0), func(name string) bool { return name == retrieve.Unknown })
	case "Graph.Facts", "Graph.Find":
		return slices.Concat(c.names(ctx, l, 0), c.names(ctx, l, 1))
	}
	return nil
}

// names returns the entities (fields 0 and 2) or relations (field 1) of the literal's graph.
func (c *Completer) names(ctx context.Context, l Literal, field int) []string {
	g := c.graph(ctx, l)
	if g == nil {
		return nil
	}
	var names []string
	if field == 1 {
		return g.RelationWords()
	}
	if strings.HasPrefix(l.Function, "Run.Ask") {
		names = append(names, retrieve.Unknown)
	}
	return append(names, g.EntityWords()...)
}

// hopEnd finds the end of the last sign or operator of an expression.
var hopEnd = regexp.MustCompile(`(?:[<>(]|(?:^|[\s)])(?:and|or|minus)\s)\s*`)

// expression returns relations after > or <, otherwise entities. Names that would need quotes are left out.
func (c *Completer) expression(ctx context.Context, l Literal) (words []string, from int) {
	field := 0
	if all := hopEnd.FindAllStringIndex(l.Typed, -1); len(all) > 0 {
		last := all[len(all)-1]
		from = len([]rune(l.Typed[:last[1]]))
		if sign := l.Typed[last[0]]; sign == '>' || sign == '<' {
			field = 1
		}
	}
	return slices.DeleteFunc(c.names(ctx, l, field), func(name string) bool {
		return strings.ContainsAny(name, `<>()"\`) || hopEnd.MatchString(" "+name+" ") ||
			name != strings.Join(strings.Fields(name), " ")
	}), from
}

// named matches operands that name a run or a graph.
var named = regexp.MustCompile("^lab\\.(Run|Resume|Finish|Graph)\\(\\s*[\"`]([^\"`]+)[\"`]\\s*\\)")

// graph returns the graph whose names a literal may contain: that of the value, or of the run or graph that the operand
// names, otherwise of the run that was used last.
func (c *Completer) graph(ctx context.Context, l Literal) *kg.Graph {
	run, key := "", ""
	switch v := l.Value.(type) {
	case *Graph:
		if v != nil {
			return v.graph
		}
	case *Set:
		if v != nil {
			return v.trained.Graph
		}
	case *Answers:
		if v != nil {
			return v.trained.Graph
		}
	case *Run:
		if v != nil {
			run = v.run.Stored.ID
			key = run
		}
	}
	m := named.FindStringSubmatch(l.Operand)
	if key == "" && m != nil {
		key = m[0]
		if m[1] == "Graph" {
			key = graphKey(m[2])
		}
	}
	if g := c.graphs[key]; g != nil {
		return g
	}
	s := c.session
	switch {
	case key == "":
		s.mu.Lock()
		defer s.mu.Unlock()
		if n := len(s.loaded); n > 0 {
			return s.models[s.loaded[n-1]].Graph
		}
		return nil
	case run == "" && m[1] == "Graph":
		g := s.Graph(m[2]).graph
		c.keep(key, g)
		return g
	case run == "":
		run, key = s.find(ctx, m[2]).Stored.ID, "" // "last" may be another run tomorrow
	}
	g := s.open(ctx, run).Graph
	if key != "" {
		c.keep(key, g)
	}
	return g
}

// graphKey identifies a file's content: it differs after a change, and from a file of the same name in another folder.
func graphKey(name string) string {
	if path, err := filepath.Abs(name); err == nil && kg.IsFile(name) {
		if info, err := os.Stat(path); err == nil {
			return fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
		}
	}
	return name
}

// keep remembers a graph. It keeps only some, because a long session may name many.
func (c *Completer) keep(key string, g *kg.Graph) {
	if len(c.graphs) >= keptModels {
		clear(c.graphs)
	}
	c.graphs[key] = g
}

// runs returns "last", then the names and short ids of the logged runs, newest first.
func (c *Completer) runs(ctx context.Context) []string {
	infos, err := c.session.tracker(ctx).Runs(ctx, tracker.Filter{})
	check(err)
	names, ids := []string{"last"}, []string{}
	for _, info := range infos {
		if !slices.Contains(names, info.Name) {
			names = append(names, info.Name)
		}
		ids = append(ids, tracker.ShortID(info.ID))
	}
	return append(names, ids...)
}

// graphNames returns the bundled graph, data sets in the data folders and files of triples.
func (c *Completer) graphNames() []string {
	names := c.session.graphsHere()
	return append(names, files(kg.FileEndings()...)...)
}

func (c *Completer) tables(ctx context.Context) []string {
	names, err := results.Graphs(ctx, c.session.tracker(ctx))
	check(err)
	names = append(names, results.TableNames()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// models returns the names that Session.Model takes: small configs without their folder.
func models() []string {
	var small, large []string
	for _, name := range config.EmbeddedNames() {
		if plain, ok := strings.CutPrefix(name, "bundled/"); ok {
			small = append(small, plain)
		} else {
			large = append(large, name)
		}
	}
	return append(small, large...)
}

// files returns the files of the current folder with one of the endings.
func files(endings ...string) (names []string) {
	entries, err := os.ReadDir(".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))) && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
