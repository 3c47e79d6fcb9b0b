package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spherelab/spherelab/internal/filekind"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// The files that the code of RotatE's authors writes, and that of HousE's, which is made of it.
const (
	authorsConfig     = "config.json"
	authorsCheckpoint = "checkpoint"
	authorsEntity     = "entity_embedding"
	authorsRelation   = "relation_embedding"
	authorsState      = "model_state_dict."
)

// authorsEpsilon is what that code adds to gamma where it draws parameters.
const authorsEpsilon = 2

// authorsModels are the models that are read, by their names there.
var authorsModels = map[string]string{"TransE": sphere.TransE, "DistMult": sphere.DistMult, "ComplEx": sphere.ComplEx,
	"RotatE": sphere.RotatE}

// authorsHouses are the models with blocks of some coordinates.
var authorsHouses = map[int]string{5: sphere.HousE5D, 10: sphere.HousE10D, 20: sphere.HousE20D}

// authorsMore says what models of HousE's code have that house-5d, -10d and -20d have not.
var authorsMore = map[string]string{"HousE": "projections", "HousE_plus": "projections and translations",
	"HousE_r_plus": "translations"}

// isOfAuthors reports whether a folder has the files of that code.
func isOfAuthors(folder string) bool {
	has := func(name string) bool { return filekind.IsFile(filepath.Join(folder, name)) }
	return has(authorsConfig) && (has(authorsCheckpoint) || has(authorsEntity+".npy"))
}

// authorsFile is a model before it is one of this program.
type authorsFile struct {
	Model            string
	Gamma            float64 // margin
	Width            int     `json:"hidden_dim"`
	unit             float64 // half a turn of RotatE
	entity, relation sphere.Tensor
}

// readAuthors reads the folder of a model, and the names of its rows from another one.
func readAuthors(folder, names string, o Options) (*parameters, error) {
	path := filepath.Join(folder, authorsConfig)
	f, err := openAuthors(folder, path)
	if err != nil {
		return nil, err
	}
	var p *parameters
	if more := authorsMore[f.Model]; more != "" {
		return nil, fmt.Errorf("%s has a model %s, which has %s besides rotations; read is HousE_r, which is %s here", path, f.Model,
			more, sphere.HousE5D)
	}
	if f.Model == "HousE_r" {
		p, err = f.house(o)
	} else if o, err = o.of(path, cmp.Or(authorsModels[f.Model], f.Model)); err == nil {
		if o, err = o.as(sphere.Clean, path); err == nil {
			p, err = f.plain(o)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.entities, err = findNames(names, nameFile{"entities.dict", readNumbered}); err != nil {
		return nil, err
	}
	p.relations, err = findNames(names, nameFile{"relations.dict", readNumbered})
	return p, err
}

// openAuthors reads the checkpoint. One of PyTorch before 1.6 is not read; the arrays next to it have the same numbers.
// Where a training was continued, the config may have another margin than the checkpoint, which then is right.
func openAuthors(folder, path string) (*authorsFile, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &authorsFile{}
	if err := json.Unmarshal(raw, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Model == "" || f.Width < 1 || !(f.Gamma > 0) || math.IsInf(f.Gamma, 0) {
		return nil, fmt.Errorf("%s must have model, hidden_dim and gamma, as the code of RotatE's authors writes them", path)
	}
	f.unit = (f.Gamma + authorsEpsilon) / float64(f.Width)
	checkpoint := filepath.Join(folder, authorsCheckpoint)
	if !isArchive(checkpoint) {
		if f.entity, err = readArray(filepath.Join(folder, authorsEntity+".npy")); err != nil {
			return nil, err
		}
		f.relation, err = readArray(filepath.Join(folder, authorsRelation+".npy"))
		return f, err
	}
	s, err := inductive.OpenState(checkpoint)
	if err != nil {
		return nil, err
	}
	number := func(name string) float64 {
		if t := s.Tensors[authorsState+name]; len(t.Data) == 1 {
			return float64(t.Data[0])
		}
		return math.NaN()
	}
	f.entity, f.relation = s.Tensors[authorsState+authorsEntity], s.Tensors[authorsState+authorsRelation]
	f.Gamma, f.unit = number("gamma"), number("embedding_range")
	if !(f.Gamma > 0) || !(f.unit > 0) || math.IsInf(f.Gamma, 0) || math.IsInf(f.unit, 0) {
		return nil, fmt.Errorf("%s has no %sgamma and %[2]sembedding_range that are positive numbers", checkpoint, authorsState)
	}
	return f, nil
}

// isArchive reports whether a file begins as those of PyTorch since 1.6 do.
func isArchive(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 2)
	_, err = f.Read(start)
	return err == nil && string(start) == "PK"
}

// plain takes the tensors of a model with rows of numbers. Those of complex numbers have the real parts first.
func (f *authorsFile) plain(o Options) (*parameters, error) {
	if len(f.entity.Shape) != 2 || len(f.relation.Shape) != 2 {
		return nil, fmt.Errorf("%s and %s have shapes %v and %v; they have a row for each name", authorsEntity, authorsRelation,
			f.entity.Shape, f.relation.Shape)
	}
	var err error
	if o.Model == sphere.ComplEx || o.Model == sphere.RotatE {
		if f.entity, err = halves(f.entity); err != nil {
			return nil, err
		}
	}
	switch o.Model {
	case sphere.ComplEx:
		if f.relation, err = halves(f.relation); err != nil {
			return nil, err
		}
	case sphere.RotatE:
		angles(f.relation.Data, f.unit)
	}
	if o.Model == sphere.RotatE || o.Model == sphere.TransE {
		o.Gamma = cmp.Or(o.Gamma, f.Gamma)
	}
	p := &parameters{from: sphere.Title(o.Model) + " of RotatE's authors"}
	return p, p.set(o, f.entity, f.relation)
}

// house takes the tensors of HousE with rotations alone. Its code reflects a head by the last vector first.
func (f *authorsFile) house(o Options) (*parameters, error) {
	if len(f.entity.Shape) != 3 || len(f.relation.Shape) != 3 {
		return nil, fmt.Errorf("%s and %s have shapes %v and %v; HousE_r has blocks", authorsEntity, authorsRelation, f.entity.Shape,
			f.relation.Shape)
	}
	d, k := f.entity.Shape[1], f.entity.Shape[2]
	model := authorsHouses[k]
	if model == "" {
		return nil, fmt.Errorf("its house_dim is %d; HousE_r is read with 5, 10 or 20", k)
	}
	if o.Model != "" || o.Variant != "" && o.Variant != sphere.Clean {
		return nil, fmt.Errorf("it has a model %s of variant %s; leave out the model and the variant", model, sphere.Clean)
	}
	if n := k - k%2; f.relation.Shape[1] != d || f.relation.Shape[2] != n*k {
		return nil, fmt.Errorf("%s has shape %v, which does not fit that of %s, %v: a block has %d vectors", authorsRelation,
			f.relation.Shape, authorsEntity, f.entity.Shape, n)
	}
	data := make([]float32, 0, len(f.relation.Data))
	for block := range slices.Chunk(f.relation.Data, f.relation.Shape[2]) {
		for at := len(block) - k; at >= 0; at -= k {
			data = append(data, block[at:][:k]...)
		}
	}
	s := sphere.Settings{Model: model, Variant: sphere.Clean, Dimension: d, Gamma: cmp.Or(o.Gamma, f.Gamma),
		Epsilon: authorsEpsilon}
	return &parameters{from: sphere.Title(model) + " of HousE's authors", settings: s, tensors: map[string]sphere.Tensor{
		entityTensor: f.entity, relationTensor: {Shape: f.relation.Shape, Data: data}}}, nil
}
