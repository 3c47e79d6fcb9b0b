// Package foreign reads trained models of other programs as models of a graph: folders of runs export-model, tensors
// with names as safetensors or .npz, and folders of PyKEEN.
package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/quantity"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Options say what files do not. The zero value leaves it to them.
type Options struct {
	Model   string  // one of Models, for plain tensors
	Variant string  // of RotatE: clean sums the lengths of blocks, paper has the 2-norm of the vector
	Gamma   float64 // margin, in units of distance; it moves no rank
}

// Models are those that are read from plain tensors and from PyKEEN.
func Models() []string {
	return []string{sphere.TransE, sphere.DistMult, sphere.ComplEx, sphere.RotatE}
}

// Model is a model that was read, with its rows in the order of a graph's ids.
type Model struct {
	*sphere.Model
	From string // what it was, for people: "PyKEEN's RotatE"
	Note string // what was left out, "" for nothing
}

// parameters are those of a model before its rows are those of a graph.
type parameters struct {
	from                string
	settings            sphere.Settings
	tensors             map[string]sphere.Tensor // as sphere.FromTensors takes them
	entities, relations []string                 // names of the rows
}

// Names of tensors as sphere.FromTensors takes them.
const (
	entityTensor, relationTensor = "entity.center", "relation.phase"
	relationPrefix               = "relation."
)

// Open reads the model at a path for a graph: a folder, or a file of tensors whose folder has the names. It refuses a
// model that has no row for a name of the graph. Rows of other names are left out, with a note.
func Open(path string, g *kg.Graph, o Options) (*Model, error) {
	p, err := read(path, o)
	if err != nil {
		return nil, err
	}
	note, err := p.align(path, g)
	if err != nil {
		return nil, err
	}
	m, err := sphere.FromTensors(p.settings, p.tensors)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Model{m, p.from, note}, nil
}

// read finds out what is at the path.
func read(path string, o Options) (*parameters, error) {
	folder := path
	if filekind.IsFile(path) {
		folder = filepath.Dir(path)
	} else if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	file := func(name string) string { return filepath.Join(folder, name) }
	if path == folder {
		for _, name := range []string{pykeenModel, "model.safetensors", "model.npz"} {
			if filekind.IsFile(file(name)) {
				path = file(name)
				break
			}
		}
	}
	var p *parameters
	var err error
	switch filepath.Ext(path) {
	case ".pkl":
		return readPyKEEN(path, folder, o)
	case ".safetensors":
		if p, err = readSafetensors(path, o); err != nil {
			return nil, err
		}
	case ".npz":
		tensors, err := readNPZ(path)
		if err != nil {
			return nil, err
		}
		if p, err = plain(path, tensors, o); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%s is not a model; there must be a file model.safetensors, model.npz or %s of PyKEEN", path,
			pykeenModel)
	}
	if p.entities, err = readNames(file("entities.tsv")); err != nil {
		return nil, err
	}
	p.relations, err = readNames(file("relations.tsv"))
	return p, err
}

// readSafetensors reads a model that spherelab has saved, or plain tensors.
func readSafetensors(path string, o Options) (*parameters, error) {
	tensors, err := sphere.ReadTensors(path)
	if err != nil {
		return nil, err
	}
	if _, ours := tensors[entityTensor]; !ours {
		return plain(path, tensors, o)
	}
	m, _, err := sphere.Load(path)
	if err != nil {
		return nil, err
	}
	return &parameters{from: "spherelab's " + sphere.Title(m.Settings().Model), settings: m.Settings(), tensors: tensors}, nil
}

// plain takes tensors named entity and relation.
func plain(path string, tensors map[string]sphere.Tensor, o Options) (*parameters, error) {
	entity, hasEntities := tensors["entity"]
	relation, hasRelations := tensors["relation"]
	if !hasEntities || !hasRelations || len(tensors) != 2 {
		return nil, fmt.Errorf("%s must have two tensors, entity and relation", path)
	}
	if o.Model == "" {
		return nil, fmt.Errorf("%s does not say which model its tensors are of: %s", path, strings.Join(Models(), ", "))
	}
	p := &parameters{from: sphere.Title(o.Model) + " of " + filepath.Base(path)}
	if err := p.set(o, entity, relation); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// set takes tensors of the shapes [rows, D], or [rows, D, 2] where numbers are complex. RotatE's relations may also be
// angles in radians, [rows, D].
func (p *parameters) set(o Options, entity, relation sphere.Tensor) error {
	// Epsilon and alpha, which variant paper needs, move no score of these models.
	s := sphere.Settings{Model: o.Model, Variant: cmp.Or(o.Variant, sphere.Clean),
		Gamma: cmp.Or(o.Gamma, sphere.DefaultGamma), Epsilon: 2, Alpha: 0.1}
	if s.Variant == sphere.Released {
		return fmt.Errorf("variant released is not read; it is %s or %s", sphere.Clean, sphere.Paper)
	}
	width := 1
	if o.Model == sphere.ComplEx || o.Model == sphere.RotatE {
		width = 2
	}
	if len(relation.Shape) < 2 {
		return fmt.Errorf("tensor relation has shape %v; it has a row for each relation", relation.Shape)
	}
	want := "[entities, D]"
	if width == 2 {
		want = "[entities, D, 2], real and imaginary part"
	}
	if len(entity.Shape) != 1+width || width == 2 && entity.Shape[2] != 2 {
		return fmt.Errorf("tensor entity has shape %v, and that of %s is %s", entity.Shape, sphere.Title(o.Model), want)
	}
	s.Dimension = entity.Shape[1]
	isAngle := o.Model == sphere.RotatE && len(relation.Shape) == 2
	if len(relation.Shape) != len(entity.Shape) && !isAngle || relation.Shape[1] != s.Dimension ||
		len(relation.Shape) == 3 && relation.Shape[2] != 2 {
		return fmt.Errorf("tensor relation has shape %v, which does not fit that of entity, %v", relation.Shape, entity.Shape)
	}
	n, r := entity.Shape[0], relation.Shape[0]
	entity.Shape = []int{n, s.Dimension, width}
	if o.Model == sphere.RotatE {
		angles, err := phases(relation, isAngle, s)
		if err != nil {
			return err
		}
		relation = sphere.Tensor{Shape: []int{r, s.Dimension}, Data: angles}
	}
	p.settings, p.tensors = s, map[string]sphere.Tensor{entityTensor: entity, relationTensor: relation}
	return nil
}

// modulusTolerance is how far from 1 the modulus of a rotation may be.
const modulusTolerance = 1e-3

// phases returns the raw phases of rotations, which are angles or complex numbers of modulus 1.
func phases(relation sphere.Tensor, isAngle bool, s sphere.Settings) ([]float32, error) {
	scale := (s.Gamma + s.Epsilon) / (math.Pi * float64(s.Dimension))
	raw := make([]float32, relation.Shape[0]*s.Dimension)
	for i := range raw {
		if isAngle {
			raw[i] = float32(float64(relation.Data[i]) * scale)
			continue
		}
		re, im := float64(relation.Data[2*i]), float64(relation.Data[2*i+1])
		if modulus := math.Hypot(re, im); !(math.Abs(modulus-1) <= modulusTolerance) {
			return nil, fmt.Errorf("tensor relation: row %d, number %d has modulus %v; a relation of RotatE rotates, so it is 1",
				i/s.Dimension, i%s.Dimension, modulus)
		}
		raw[i] = float32(math.Atan2(im, re) * scale)
	}
	return raw, nil
}

// align puts the rows into the order of the graph's ids.
func (p *parameters) align(path string, g *kg.Graph) (note string, err error) {
	entities, err := order(path, "entity", "entities", p.entities, g.Entities, g.Name)
	if err != nil {
		return "", err
	}
	relations, err := order(path, "relation", "relations", p.relations, g.Relations, g.Name)
	if err != nil {
		return "", err
	}
	for name, t := range p.tensors {
		rows, of := entities, len(p.entities)
		if strings.HasPrefix(name, relationPrefix) {
			rows, of = relations, len(p.relations)
		}
		if len(t.Shape) == 0 || t.Shape[0] != of {
			return "", fmt.Errorf("%s: tensor %s has shape %v, and there are %d names of its rows", path, name, t.Shape, of)
		}
		width := len(t.Data) / max(1, of)
		data := make([]float32, 0, len(rows)*width)
		for _, row := range rows {
			data = append(data, t.Data[row*width:][:width]...)
		}
		shape := append([]int{len(rows)}, t.Shape[1:]...)
		p.tensors[name] = sphere.Tensor{Shape: shape, Data: data}
	}
	left := len(p.entities) - len(entities) + len(p.relations) - len(relations)
	if left > 0 {
		note = fmt.Sprintf("%s of the model are not in graph %s and are left out", quantity.Count(left, "name"), g.Name)
	}
	return note, nil
}

// order returns the row of each name of the graph.
func order(path, kind, plural string, names []string, of *kg.Vocabulary, graph string) ([]int, error) {
	at := make(map[string]int, len(names))
	for i, name := range names {
		if _, twice := at[name]; twice {
			return nil, fmt.Errorf("%s: %s %q has two rows", path, kind, name)
		}
		at[name] = i
	}
	rows, missing, first := make([]int, of.Len()), 0, ""
	for id := range rows {
		row, ok := at[of.Name(int32(id))]
		if !ok {
			if missing++; missing == 1 {
				first = of.Name(int32(id))
			}
		}
		rows[id] = row
	}
	if missing > 0 {
		return nil, fmt.Errorf("%s: the model has no row for %d of the %d %s of graph %s, such as %q; name the graph that it was "+
			"trained on", path, missing, of.Len(), plural, graph, first)
	}
	return rows, nil
}

var errNoRows = errors.New("has no line below its header")
