package results

import (
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
)

// ExportedPyKEEN has the tensors of a model as the state of PyKEEN's model of the same name.
const ExportedPyKEEN = "pykeen.safetensors"

// pykeenState returns the tensors of a model by PyKEEN's names, in its layout: a row per entity or relation, and the
// real and imaginary part of a complex number next to each other. It is nil for a model whose score PyKEEN does not
// have. PyKEEN's RotatE has the 2-norm of the whole vector, as in variant paper, and no score there has a gamma.
func pykeenState(s sphere.Settings, tensors map[string]sphere.Tensor) map[string]sphere.Tensor {
	isRotation := s.Model == sphere.RotatE && s.Variant == sphere.Paper
	switch {
	case s.Reciprocal:
		return nil
	case isRotation, s.Model == sphere.TransE, s.Model == sphere.TransEL2, s.Model == sphere.DistMult,
		s.Model == sphere.ComplEx, s.Model == sphere.RESCAL:
	default:
		return nil
	}
	entity, relation := tensors["entity.center"], tensors["relation.phase"]
	if isRotation {
		relation = unitNumbers(relation, s)
	}
	return map[string]sphere.Tensor{
		"entity_representations.0._embeddings.weight":   rows(entity),
		"relation_representations.0._embeddings.weight": rows(relation),
	}
}

// rows is a tensor with two dimensions.
func rows(t sphere.Tensor) sphere.Tensor {
	return sphere.Tensor{Shape: []int{t.Shape[0], len(t.Data) / t.Shape[0]}, Data: t.Data}
}

// unitNumbers are raw phases as complex numbers.
func unitNumbers(phases sphere.Tensor, s sphere.Settings) sphere.Tensor {
	data := make([]float32, 0, 2*len(phases.Data))
	for _, raw := range phases.Data {
		angle := float64(raw) * math.Pi * float64(s.Dimension) / (s.Gamma + s.Epsilon)
		sin, cos := math.Sincos(angle)
		data = append(data, float32(cos), float32(sin))
	}
	return sphere.Tensor{Shape: []int{phases.Shape[0], s.Dimension, 2}, Data: data}
}
