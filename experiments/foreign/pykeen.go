package foreign

import (
	"fmt"
	"slices"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// The files that PyKEEN's save_to_directory writes.
const (
	pykeenModel   = "trained_model.pkl"
	pykeenTriples = "training_triples"
)

// pykeenClasses are the classes of the models that are read.
var pykeenClasses = map[string]string{
	"pykeen.models.unimodal.trans_e TransE":    sphere.TransE,
	"pykeen.models.unimodal.distmult DistMult": sphere.DistMult,
	"pykeen.models.unimodal.complex ComplEx":   sphere.ComplEx,
	"pykeen.models.unimodal.rotate RotatE":     sphere.RotatE,
	"pykeen.models.unimodal.rescal RESCAL":     sphere.RESCAL,
	pykeenTuckER:                               sphere.RESCAL,
}

// readPyKEEN reads a model of PyKEEN, and the names of its rows from a folder. PyKEEN's RotatE has the 2-norm of the
// whole vector, which is variant paper. A TuckER is read as a RESCAL.
func readPyKEEN(path, folder string, o Options) (*parameters, error) {
	m, err := inductive.OpenModule(path)
	if err != nil {
		return nil, err
	}
	model, known := pykeenClasses[m.Class]
	if norm, given := m.Values["interaction.p"]; given && model == sphere.TransE {
		if model = transE(fmt.Sprint(norm)); model == "" {
			return nil, fmt.Errorf("%s has a TransE with norm %v; it is read with scoring_fct_norm 1 or 2", path, norm)
		}
	}
	if !known {
		var all []string
		for class := range pykeenClasses {
			all = append(all, class)
		}
		slices.Sort(all)
		return nil, fmt.Errorf("%s has a model of class %q; read are %s", path, m.Class, strings.Join(all, ", "))
	}
	if o, err = o.of(path, model); err != nil {
		return nil, err
	}
	if o, err = o.as(sphere.Paper, path); err != nil {
		return nil, err
	}
	p := &parameters{from: "PyKEEN's " + sphere.Title(model)}
	if m.Class == pykeenTuckER {
		p.from = tuckerOf("PyKEEN's TuckER")
	}
	if err := checkPyKEEN(m, model); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	entity, relation := m.Tensors["entity_representations.0._embeddings.weight"],
		m.Tensors["relation_representations.0._embeddings.weight"]
	for _, t := range []*sphere.Tensor{&entity, &relation} {
		if len(t.Shape) != 2 {
			return nil, fmt.Errorf("%s: there is no tensor entity_representations.0._embeddings.weight or "+
				"relation_representations.0._embeddings.weight of two dimensions", path)
		}
		if model == sphere.ComplEx || model == sphere.RotatE {
			if *t, err = pairs(*t); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if m.Class == pykeenTuckER {
		if entity, relation, err = pykeenTuckERTensors(m, entity, relation); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := p.set(o, entity, relation); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.entities, err = findNames(folder, nameFile{"entity_to_id.tsv.gz", readNames}); err != nil {
		return nil, err
	}
	p.relations, err = findNames(folder, nameFile{"relation_to_id.tsv.gz", readNames})
	return p, err
}

// checkPyKEEN refuses a model whose scores are not those of the model here.
func checkPyKEEN(m *inductive.Module, model string) error {
	if inverse, _ := m.Values["use_inverse_triples"].(bool); inverse {
		return fmt.Errorf("the model was trained with inverse relations, which are not read; " +
			"train it with create_inverse_triples=False")
	}
	for name := range m.Tensors {
		outside := strings.HasPrefix(name, "entity_representations.") || strings.HasPrefix(name, "relation_representations.")
		if outside && !strings.Contains(name, "regularizer") && !strings.Contains(name, ".0._embeddings.weight") {
			return fmt.Errorf("tensor %s is more than a model %s has", name, model)
		}
	}
	for _, kind := range []string{"entity", "relation"} {
		if n := m.Values[kind+"_representations.0.normalizer"]; n != nil {
			return fmt.Errorf("the %s representations have a normalizer, which is not read", kind)
		}
	}
	return nil
}
