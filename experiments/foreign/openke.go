package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// The tensors of a model of OpenKE, and what is behind their names.
const (
	openkeEntity, openkeRelation = "ent", "rel"
	openkeTable                  = "_embeddings.weight"
	openkeMargin                 = "margin"
	openkeRange                  = "rel_embedding_range" // half a turn of RotatE
)

// readOpenKE reads a checkpoint of OpenKE, and the names of its rows from a folder. The file has the tensors alone, not
// the settings of the model.
func readOpenKE(path, folder string, o Options) (*parameters, error) {
	s, err := inductive.OpenState(path)
	if err != nil {
		return nil, err
	}
	tables, numbers := openkeTensors(s)
	model, err := openkeModel(tables, numbers, o)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	if o, err = o.of(path, model); err != nil {
		return nil, err
	}
	if o, err = o.as(sphere.Clean, path); err != nil {
		return nil, err
	}
	p := &parameters{from: "OpenKE's " + sphere.Title(model)}
	if err := p.setOpenKE(tables, numbers, o); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.entities, err = findNames(folder, nameFile{"entity2id.txt", readCounted}); err != nil {
		return nil, err
	}
	p.relations, err = findNames(folder, nameFile{"relation2id.txt", readCounted})
	return p, err
}

// openkeTensors returns the tables of a model, also of one that is saved with its loss, and its single numbers.
func openkeTensors(s *inductive.State) (tables map[string]sphere.Tensor, numbers map[string]float64) {
	tables, numbers = map[string]sphere.Tensor{}, map[string]float64{}
	for name, t := range s.Tensors {
		if strings.HasPrefix(name, "loss.") {
			continue
		}
		name = strings.TrimPrefix(name, "model.")
		if len(t.Shape) < 2 && len(t.Data) == 1 {
			numbers[name] = float64(t.Data[0])
		} else {
			tables[strings.TrimSuffix(name, openkeTable)] = t
		}
	}
	return tables, numbers
}

// openkeModel finds out which model it is.
func openkeModel(tables map[string]sphere.Tensor, numbers map[string]float64, o Options) (string, error) {
	_, isRotation := numbers[openkeRange]
	_, hasMargin := numbers[openkeMargin]
	_, isComplex := tables[openkeEntity+"_re"]
	model, want := o.Model, []string{openkeEntity, openkeRelation}
	switch {
	case isComplex:
		model, want = sphere.ComplEx, []string{openkeEntity + "_im", openkeEntity + "_re", openkeRelation + "_im", openkeRelation + "_re"}
	case isRotation:
		model = sphere.RotatE
	}
	have := slices.Sorted(maps.Keys(tables))
	for _, name := range want {
		if len(tables[name].Shape) != 2 {
			return "", fmt.Errorf("has no tensor %s%s of float32 with two dimensions; save the model by save_checkpoint", name, openkeTable)
		}
	}
	for _, name := range have {
		if !slices.Contains(want, name) {
			return "", fmt.Errorf("has a tensor %s, which no model has that is read: %s", name, strings.Join(Models(), ", "))
		}
	}
	switch {
	case hasMargin && !isRotation && model != sphere.TransE && model != sphere.TransEL2:
		return "", unnamed(sphere.TransE, sphere.TransEL2)
	case !slices.Contains(Models(), model) || !isComplex && model == sphere.ComplEx || model == sphere.RESCAL:
		return "", unnamed(sphere.TransE, sphere.TransEL2, sphere.DistMult)
	}
	if !isRotation && model == sphere.RotatE {
		return "", fmt.Errorf("has no %s, by which relations of RotatE turn", openkeRange)
	}
	return model, nil
}

// setOpenKE takes the tensors.
func (p *parameters) setOpenKE(tables map[string]sphere.Tensor, numbers map[string]float64, o Options) (err error) {
	entity, relation := tables[openkeEntity], tables[openkeRelation]
	switch o.Model {
	case sphere.ComplEx:
		if entity, err = together(tables, openkeEntity); err != nil {
			return err
		}
		if relation, err = together(tables, openkeRelation); err != nil {
			return err
		}
	case sphere.RotatE:
		if entity, err = halves(entity); err != nil {
			return err
		}
		unit := numbers[openkeRange]
		if !(unit > 0) || math.IsInf(unit, 0) {
			return fmt.Errorf("%s is %v; it is half a turn, and positive", openkeRange, unit)
		}
		angles(relation.Data, unit)
	case sphere.TransE, sphere.TransEL2:
		switch o.NormFlag {
		case "":
			err := errors.New("it does not say whether the TransE was made with norm_flag True, which is OpenKE's default, or False")
			return hint.With(err, hint.Hint{Action: hint.NameNormFlag})
		case "true":
			normalize(entity)
			normalize(relation)
		}
	}
	if o.Model != sphere.TransE && o.Model != sphere.TransEL2 && o.NormFlag != "" {
		return fmt.Errorf("it has a model %s; norm_flag is of OpenKE's TransE", o.Model)
	}
	if margin := numbers[openkeMargin]; margin > 0 && !math.IsInf(margin, 0) {
		o.Gamma = cmp.Or(o.Gamma, margin)
	}
	return p.set(o, entity, relation)
}

// together puts real and imaginary parts next to each other.
func together(tables map[string]sphere.Tensor, kind string) (sphere.Tensor, error) {
	re, im := tables[kind+"_re"], tables[kind+"_im"]
	if !slices.Equal(re.Shape, im.Shape) {
		return re, fmt.Errorf("tensors %s_re%s and %s_im%s have shapes %v and %v", kind, openkeTable, kind, openkeTable, re.Shape, im.Shape)
	}
	data := make([]float32, 0, 2*len(re.Data))
	for i, x := range re.Data {
		data = append(data, x, im.Data[i])
	}
	return sphere.Tensor{Shape: []int{re.Shape[0], re.Shape[1], 2}, Data: data}, nil
}

// normalize divides rows by their 2-norm, as torch.nn.functional.normalize does.
func normalize(t sphere.Tensor) {
	for row := range slices.Chunk(t.Data, t.Shape[1]) {
		square := 0.0
		for _, x := range row {
			square += float64(x) * float64(x)
		}
		for j, x := range row {
			row[j] = float32(float64(x) / max(math.Sqrt(square), 1e-12))
		}
	}
}
