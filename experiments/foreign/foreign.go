// Package foreign reads trained models of other programs as models of a graph: folders of runs export-model, tensors
// with names as safetensors or .npz, folders of PyKEEN, of DGL-KE and of RotatE's and HousE's authors, checkpoints of
// LibKGE and OpenKE.
package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/filekind"
	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Options say what files do not. The zero value leaves it to them.
type Options struct {
	Model   string  // one of Models, for plain tensors
	Variant string  // of RotatE: clean sums the lengths of blocks, paper has the 2-norm of the vector
	Gamma   float64 // margin, in units of distance; it moves no rank
	Names   string  // folder with the names of the rows; "" for that of the model

	// NormFlag is of OpenKE's TransE, whose files do not say it: "true" if it scores rows of length 1, or "false".
	NormFlag string
}

// Models are those that are read from plain tensors and from other programs.
func Models() []string {
	return []string{sphere.TransE, sphere.TransEL2, sphere.DistMult, sphere.ComplEx, sphere.RotatE, sphere.RESCAL}
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
	} else if path, err = find(path); err != nil {
		return nil, err
	}
	names := cmp.Or(o.Names, folder)
	var p *parameters
	var err error
	ending := filepath.Ext(path)
	if o.NormFlag != "" && ending != ".ckpt" {
		return nil, fmt.Errorf("%s is not of OpenKE, whose TransE has a norm_flag", path)
	}
	base := strings.TrimSuffix(filepath.Base(path), ".npy")
	isAuthors := slices.Contains([]string{authorsConfig, authorsCheckpoint, authorsEntity, authorsRelation}, base)
	if isAuthors && isOfAuthors(folder) {
		return readAuthors(folder, names, o)
	}
	switch ending {
	case ".pkl":
		return readPyKEEN(path, cmp.Or(o.Names, filepath.Join(folder, pykeenTriples)), o)
	case ".pt":
		return readLibKGE(path, names, o)
	case ".ckpt":
		return readOpenKE(path, names, o)
	case ".npy", ".json":
		if ending == ".json" && filepath.Base(path) != dglkeFile {
			return nil, fmt.Errorf("%s is not read; DGL-KE writes %s", path, dglkeFile)
		}
		return readDGLKE(filepath.Join(folder, dglkeFile), names, o)
	case ".safetensors":
		p, err = readSafetensors(path, o)
	case ".npz":
		var tensors map[string]sphere.Tensor
		if tensors, err = readNPZ(path); err == nil {
			p, err = plain(path, tensors, o)
		}
	default:
		return nil, fmt.Errorf("%s is not a model; there must be a file %s of PyKEEN, *.pt of LibKGE, %s of DGL-KE, "+
			"*.ckpt of OpenKE, checkpoint of RotatE's or HousE's authors, model.safetensors or model.npz", path, pykeenModel, dglkeFile)
	}
	if err != nil {
		return nil, err
	}
	if p.entities, err = findNames(names, nameFile{"entities.tsv", readNames}); err != nil {
		return nil, err
	}
	p.relations, err = findNames(names, nameFile{"relations.tsv", readNames})
	return p, err
}

// of returns the options of a model that a file names. It refuses one that is not read, and one that is not the model
// that was asked for.
func (o Options) of(path, model string) (Options, error) {
	if !slices.Contains(Models(), model) {
		return o, fmt.Errorf("%s has a model %s; read are %s", path, cmp.Or(model, "without a name"), strings.Join(Models(), ", "))
	}
	if o.Model != "" && o.Model != model {
		return o, fmt.Errorf("%s has a model %s, not %s", path, model, o.Model)
	}
	o.Model = model
	return o, nil
}

// as sets the variant of RotatE that a program has, and refuses another one, which would give other scores.
func (o Options) as(variant, path string) (Options, error) {
	if o.Model != sphere.RotatE {
		return o, nil
	}
	if o.Variant != "" && o.Variant != variant {
		return o, fmt.Errorf("%s has a RotatE of variant %s, not %s; leave out --variant", path, variant, o.Variant)
	}
	o.Variant = variant
	return o, nil
}

// transE is TransE with one of its two norms, as text; "" for another norm, which no model has here.
func transE(norm string) string {
	return map[string]string{"1": sphere.TransE, "2": sphere.TransEL2}[norm]
}

// unnamed is the error of tensors that can be of several models.
func unnamed(models ...string) error {
	return hint.With(errors.New("does not say which model its tensors are of"), hint.Hint{Action: hint.NameModel,
		Subject: strings.Join(models, ", ")})
}

// halves takes rows of complex numbers that have the real parts first, then the imaginary parts.
func halves(t sphere.Tensor) (sphere.Tensor, error) {
	t, err := pairs(t)
	if err != nil {
		return t, err
	}
	d, data := t.Shape[1], make([]float32, len(t.Data))
	for i := range len(t.Data) / 2 {
		row, j := i/d, i%d
		data[2*i], data[2*i+1] = t.Data[row*2*d+j], t.Data[row*2*d+d+j]
	}
	t.Data = data
	return t, nil
}

// pairs takes rows of complex numbers that alternate between real and imaginary parts.
func pairs(t sphere.Tensor) (sphere.Tensor, error) {
	if t.Shape[1]%2 != 0 {
		return t, fmt.Errorf("a tensor of complex numbers has rows of %d floats", t.Shape[1])
	}
	t.Shape = []int{t.Shape[0], t.Shape[1] / 2, 2}
	return t, nil
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
		return nil, fmt.Errorf("%s %w", path, unnamed(Models()...))
	}
	p := &parameters{from: sphere.Title(o.Model) + " of " + filepath.Base(path)}
	if err := p.set(o, entity, relation); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}
