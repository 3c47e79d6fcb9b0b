package session

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/spelling"
	sphere "github.com/spherelab/spherelab/spherE"
)

// Model describes a model, its training and its evaluation. It is immutable: a method that sets something returns a
// changed copy, so calls can be chained.
type Model struct {
	name    string            // as written in the cell
	config  *config.Config    // valid; Train sets data
	start   map[string]string // the expanded config before any change
	changed map[string]bool   // keys that were set in cells
}

// Model describes a model by the name of a config: "sphere-2d" or "rotate" (small and quick, as for the bundled graph),
// "fb15k-237/sphere-2d" and so on for the benchmarks, or a .yaml file. Change it as needed:
//
//	m := lab.Model("sphere-2d").Dim(50).Epochs(30).Set("train.learning_rate", 0.01)
//
// A model that sphere.Register has made known begins with the values of TransE.
func (s *Session) Model(name string) *Model {
	name = strings.TrimSpace(name)
	if sphere.IsRegistered(name) {
		list, err := config.LoadForGraph(config.Layers{}, config.BundledName, name)
		check(err)
		return newModel(name, list[0].Config())
	}
	found := name
	var small, large []string
	for _, embedded := range config.EmbeddedNames() {
		if plain, ok := strings.CutPrefix(embedded, "bundled/"); !ok {
			large = append(large, embedded)
		} else if small = append(small, plain); plain == name {
			found = embedded
		}
	}
	c, err := config.Load(config.Layers{Config: found})
	if name == "" || err != nil && !strings.HasSuffix(name, ".yaml") && !strings.Contains(name, "/") {
		near := cmp.Or(didYouMean(name, small), didYouMean(name, large))
		all := strings.Join(append(small, large...), ", ")
		message := fmt.Sprintf("there is no model %q%s\nthere are: %s, or a .yaml file", name, near, all)
		panic(&Error{Name: BadModel, Err: err, Message: message})
	}
	check(err)
	return newModel(name, c.Config())
}

func newModel(name string, c *config.Config) *Model {
	return &Model{name: name, config: c, start: flat(c), changed: map[string]bool{}}
}

// flat returns a config as text by key, with the tags.
func flat(c *config.Config) map[string]string {
	f := c.Flatten()
	for tag, value := range c.Tags {
		f["tags."+tag] = value
	}
	return f
}

// Set changes one key of the config, for example m.Set("train.learning_rate", 0.01). The keys are those of config files
// and of --set; m itself lists them. An unknown key or an invalid value is an error immediately.
func (m *Model) Set(key string, value interface{}) *Model {
	return m.change(fmt.Sprintf("m.Set(%q, %v)", key, value), key, value)
}

// Dim sets the number of blocks per entity. A block is a point of the plane, in 3D models a point of space.
func (m *Model) Dim(blocks int) *Model {
	return m.change(fmt.Sprintf("m.Dim(%d)", blocks), "dimension", blocks)
}

// Epochs sets the number of epochs.
func (m *Model) Epochs(n int) *Model {
	return m.change(fmt.Sprintf("m.Epochs(%d)", n), "train.epochs", n)
}

// Seed sets the seed of every random draw: the same seed, config and graph give the same bits.
func (m *Model) Seed(n int) *Model { return m.change(fmt.Sprintf("m.Seed(%d)", n), "seed", n) }

// Name sets the name of the run, by which lab.Run finds it.
func (m *Model) Name(name string) *Model {
	if strings.ContainsFunc(name, unicode.IsControl) {
		panic(fail(BadModel, "m.Name(%q): the name has a control character; a number is not a name", name))
	}
	return m.change(fmt.Sprintf("m.Name(%q)", name), "name", name)
}

// Variant chooses the formulas: "released" (the authors' code), "paper" (the text's equations) or "clean" (this
// project's own).
func (m *Model) Variant(name string) *Model {
	return m.change(fmt.Sprintf("m.Variant(%q)", name), "variant", name)
}

// Config returns a copy of the whole config.
func (m *Model) Config() *config.Config { return m.current().Clone() }

func (m *Model) current() *config.Config {
	given(m != nil, "model", "lab.Model(\"sphere-2d\") describes one")
	return m.config
}

// Get returns the value of a config key as text, for example m.Get("train.epochs").
func (m *Model) Get(key string) string {
	value, ok := flat(m.current())[key]
	if !ok {
		check(m.config.Clone().Set(key, "", fmt.Sprintf("m.Get(%q)", key))) // fails with the nearest key
	}
	return value
}

// change sets a key in a copy, which must be valid.
func (m *Model) change(origin, key string, value interface{}) *Model {
	switch key = strings.TrimSpace(key); key {
	case "data":
		panic(fail(BadModel, "%s: the graph is not part of the model; lab.Train takes it: lab.Train(g, m)", origin))
	case "file.columns", "file.relation", "file.quotes", "split.valid", "split.test", "split.seed", "split.leakless",
		"split.whole":
		panic(fail(BadModel, "%s: the graph is read and divided when it is loaded: lab.Graph(\"family.csv\", \"%s=...\")",
			origin,
			key))
	case "tracker.uri":
		panic(fail(BadModel, "%s: all runs of a kernel are logged in one database; `spherelab tracker url` names it",
			key))
	}
	text, err := settingText(value)
	if err != nil {
		panic(fail(BadModel, "%s: %v", origin, err))
	}
	c := m.current().Clone()
	check(c.Set(key, text, origin))
	// Keys that depend on each other may be set in any order; lab.Train checks them together.
	_, err = c.Check()
	if config, ok := errors.AsType[*config.Error](err); !ok || config.Other == "" {
		check(err)
	}
	changed := maps.Clone(m.changed)
	changed[key] = true
	return &Model{name: m.name, config: c, start: m.start, changed: changed}
}

// settingText writes a value as text for Config.Set.
func settingText(value interface{}) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32), nil
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), nil
	case []int:
		var items []string
		for _, n := range v {
			items = append(items, strconv.Itoa(n))
		}
		return strings.Join(items, ","), nil
	case nil:
		return "", errors.New("the value is nil")
	}
	return "", fmt.Errorf("a %T is not a config value: use a number, text, true or false, or a []int", value)
}

func (m *Model) title() string { return modelTitle(m.config) }

// modelTitle names the model of a config.
func modelTitle(c *config.Config) string {
	title := fmt.Sprintf("%s, variant %s", sphere.Title(c.Model), c.Variant)
	if sphere.IsUntrained(c.Model) || strings.Contains(c.Model, sphere.StackedBy) {
		return title
	}
	return fmt.Sprintf("%s, dimension %d", title, c.Dimension)
}

// ofGraph reports whether a config key is about how a graph is read or divided.
func ofGraph(key string) bool {
	return strings.HasPrefix(key, "file.") || strings.HasPrefix(key, "split.")
}

// essentialKeys are in a summary even if unchanged.
var essentialKeys = [...]string{"gamma", "seed", "train.epochs", "train.batch", "train.negatives",
	"train.learning_rate", "eval.every", "eval.criterion"}

// settings returns the config in two grids: essential and changed keys, and the rest. Changed keys are bold.
func (m *Model) settings() (summary, rest *results.Grid) {
	now := flat(m.config)
	columns := []results.Column{{Key: "key"}, {Key: "value", Right: true}, {Key: "before"}}
	summary, rest = &results.Grid{Columns: columns}, &results.Grid{Columns: columns}
	keys := slices.DeleteFunc(config.Keys(), func(k string) bool {
		return k == "data" || ofGraph(k) ||
			k == "tags" || k == "tracker.uri"
	})
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if strings.HasPrefix(key, "tags.") {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		g, before := rest, ""
		if now[key] != m.start[key] {
			before = "was " + m.start[key]
			if m.start[key] == "" {
				before = "was not set"
			}
		}
		if before != "" || m.changed[key] || slices.Contains(essentialKeys[:], key) {
			g = summary
		}
		if before != "" {
			g.Bold = append(g.Bold, [2]int{len(g.Rows), 0}, [2]int{len(g.Rows), 1})
		}
		g.Rows = append(g.Rows, []string{key, now[key], before})
	}
	return summary, rest
}

// HTML shows the config in a notebook, with changed keys in bold.
func (m *Model) HTML() string {
	summary, rest := m.settings()
	var b markup
	b.open("div", cardBox)
	b.element("div", "font-weight:600", m.title())
	b.element("div", "font-size:90%;"+faint, "config "+m.name)
	b.grid(summary)
	b.raw("<details><summary>", strconv.Itoa(len(rest.Rows)), " more, unchanged</summary>")
	b.grid(rest)
	b.raw("</details></div>")
	return b.String()
}

// String returns the config as text: the summary and the number of keys left out.
func (m *Model) String() string {
	summary, rest := m.settings()
	return fmt.Sprintf("%s (config %s)\n%s\nand %d more, unchanged", m.title(), m.name, gridText(summary),
		len(rest.Rows))
}

// didYouMean returns a suggestion of the nearest of some names.
func didYouMean(name string, names []string) string {
	if near := spelling.Nearest(names, name, 1); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}
