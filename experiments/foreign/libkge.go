package foreign

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// libkgeBest is the checkpoint of the best epoch.
const libkgeBest = "checkpoint_best.pt"

// The keys of a checkpoint of LibKGE.
const (
	libkgeConfig     = "config.options."
	libkgeReciprocal = "reciprocal_relations_model"
	libkgeTensors    = "model.0."
	libkgeTuckER     = "relational_tucker3"
	libkgeProjection = "_relation_embedder.projection.weight" // its core
)

// readLibKGE reads a checkpoint or a packaged model of LibKGE. A package has the names of the rows; those of a
// checkpoint are in the folder of the data set.
func readLibKGE(path, folder string, o Options) (*parameters, error) {
	s, err := inductive.OpenState(path)
	if err != nil {
		return nil, err
	}
	name, isText := s.Values[libkgeConfig+"model"].(string)
	if !isText {
		return nil, fmt.Errorf("%s has no %smodel; a checkpoint of LibKGE says there which model it has", path, libkgeConfig)
	}
	isReciprocal := name == libkgeReciprocal
	if isReciprocal {
		name, _ = s.Values[libkgeConfig+libkgeReciprocal+".base_model.type"].(string)
	}
	if key := libkgeConfig + "transe.l_norm"; name == sphere.TransE && !isReciprocal {
		norm := fmt.Sprint(s.Values[key])
		if name = transE(norm); name == "" {
			return nil, fmt.Errorf("%s: its %s is %s; TransE is read with norm 1 or 2", path, key, norm)
		}
	}
	isTuckER := name == libkgeTuckER
	if isTuckER {
		name = sphere.RESCAL
	}
	if o, err = o.of(path, name); err != nil {
		return nil, err
	}
	factors := []string{sphere.DistMult, sphere.ComplEx, sphere.RESCAL}
	if isReciprocal && !slices.Contains(factors, o.Model) {
		return nil, fmt.Errorf("%s has a %s of %s; with relations of their own for head queries, %s are read", path,
			libkgeReciprocal, name, strings.Join(factors, ", "))
	}
	p := &parameters{from: "LibKGE's " + sphere.Title(o.Model)}
	if isTuckER {
		p.from = tuckerOf("LibKGE's " + libkgeTuckER)
	}
	if err := p.setLibKGE(s, o, isReciprocal); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for kind, names := range map[string]*[]string{"entity": &p.entities, "relation": &p.relations} {
		for _, key := range []string{"dataset.meta." + kind + "_ids", kind + "_ids"} {
			if *names == nil {
				*names = s.Texts[key]
			}
		}
		if *names == nil {
			files := []nameFile{{kind + "_ids.del", readNumbered}, {kind + "_strings.del", readNumbered}}
			if *names, err = findNames(folder, files...); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// setLibKGE takes the tensors. Rows of complex numbers have the real parts first; relations of RotatE are radians. With
// a core, relations become matrices.
func (p *parameters) setLibKGE(s *inductive.State, o Options, isReciprocal bool) (err error) {
	tensors, core := map[string]sphere.Tensor{}, sphere.Tensor{}
	for _, name := range slices.Sorted(maps.Keys(s.Tensors)) {
		rest, inside := strings.CutPrefix(name, libkgeTensors)
		if !inside {
			continue // of the optimizer
		}
		rest = strings.TrimPrefix(rest, "_base_model.") // the same tensor has both names
		if rest == libkgeProjection && o.Model == sphere.RESCAL {
			core = s.Tensors[name]
			continue
		}
		rest = strings.Replace(rest, "_relation_embedder.base_embedder.", "_relation_embedder.", 1)
		kind, isTable := strings.CutSuffix(strings.Replace(rest, "._embeddings.", ".embeddings.", 1), "_embedder.embeddings.weight")
		if kind = strings.TrimPrefix(kind, "_"); !isTable || kind != "entity" && kind != "relation" {
			return fmt.Errorf("tensor %s is more than a model %s with lookup embedders has", name, o.Model)
		}
		tensors[kind] = s.Tensors[name]
	}
	for _, kind := range []string{"entity", "relation"} {
		if len(tensors[kind].Shape) != 2 {
			return fmt.Errorf("there is no tensor %s_%s_embedder._embeddings.weight of float32 with two dimensions", libkgeTensors,
				kind)
		}
	}
	entity, relation := tensors["entity"], tensors["relation"]
	switch o.Model {
	case sphere.RESCAL:
		if core.Shape != nil {
			if relation, err = projected(core, relation, entity.Shape[1]); err != nil {
				return err
			}
		}
	case sphere.RotatE:
		if o, err = o.norm(s, libkgeConfig+"rotate.l_norm"); err != nil {
			return err
		}
	case sphere.ComplEx:
		if relation, err = halves(relation); err != nil {
			return err
		}
	}
	if o.Model == sphere.ComplEx || o.Model == sphere.RotatE {
		if entity, err = halves(entity); err != nil {
			return err
		}
	}
	if o.Model == sphere.RotatE {
		for key := range s.Values {
			if strings.HasPrefix(key, libkgeConfig+"job.distributed.") {
				return errors.New("it is of dist-kge, whose versions differ in the order of real and imaginary parts; " +
					"save its tensors as model.npz")
			}
		}
	}
	if err := p.set(o, entity, relation); err != nil {
		return err
	}
	if isReciprocal {
		return p.fold()
	}
	return nil
}

// projected returns the matrices of a relational_tucker3, whose core has a row for each of their numbers.
func projected(core, relation sphere.Tensor, dimension int) (sphere.Tensor, error) {
	if len(core.Shape) != 2 || core.Shape[0] != dimension*dimension || core.Shape[1] != relation.Shape[1] {
		return core, fmt.Errorf("tensor %s has shape %v, and entities have %d numbers, relations %d", libkgeProjection, core.Shape,
			dimension, relation.Shape[1])
	}
	core.Shape = []int{core.Shape[0], core.Shape[1], 1}
	return matricesOf(mixed(core, relation), relation.Shape[0], dimension), nil
}

// norm sets the variant of RotatE by its norm, and refuses a norm that it does not have here.
func (o Options) norm(s *inductive.State, key string) (Options, error) {
	norm := fmt.Sprint(s.Values[key])
	switch {
	case norm == "1" && o.Variant != sphere.Paper:
		o.Variant = sphere.Clean
	case norm == "2" && o.Variant != sphere.Clean:
		o.Variant = sphere.Paper
	case norm == "1" || norm == "2":
		return o, fmt.Errorf("its %s is %s, which is not variant %s", key, norm, o.Variant)
	default:
		return o, fmt.Errorf("its %s is %s; RotatE is read with norm 1 or 2", key, norm)
	}
	return o, nil
}

// fold puts the rows of reciprocal relations, which are behind the others, next to them: blocks have the factors of
// tail queries, then those of head queries.
func (p *parameters) fold() error {
	t := p.tensors[relationTensor]
	rows, width := t.Shape[0]/2, 1
	if t.Shape[0]%2 != 0 {
		return fmt.Errorf("tensor relation has %d rows; a model with reciprocal relations has an even number", t.Shape[0])
	}
	if len(t.Shape) == 3 {
		width = t.Shape[2]
	}
	data := make([]float32, 0, len(t.Data))
	half := len(t.Data) / 2
	for pair := range slices.Chunk(t.Data[:half], width) {
		at := len(data) / 2
		data = append(append(data, pair...), t.Data[half+at:][:width]...)
	}
	p.settings.Reciprocal = true
	p.tensors[relationTensor] = sphere.Tensor{Shape: []int{rows, t.Shape[1], 2 * width}, Data: data}
	return nil
}
