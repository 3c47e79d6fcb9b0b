package foreign

import (
	"cmp"
	"fmt"
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
)

// set takes tensors of the shapes [rows, D], or [rows, D, 2] where numbers are complex. RotatE's relations may also be
// angles in radians, [rows, D]. Those of RESCAL are matrices, [rows, D, D], or their rows one after another.
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
	if o.Model == sphere.RESCAL {
		return p.setMatrices(s, entity, relation)
	}
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

// setMatrices takes the tensors of RESCAL.
func (p *parameters) setMatrices(s sphere.Settings, entity, relation sphere.Tensor) error {
	d, r, floats := s.Dimension, relation.Shape[0], relation.Shape[1]
	if len(relation.Shape) == 3 && floats == d {
		floats *= relation.Shape[2]
	}
	if len(relation.Shape) > 3 || floats != d*d {
		return fmt.Errorf("tensor relation has shape %v, and that of a RESCAL whose entities have %d numbers is [relations, %d, %d]",
			relation.Shape, d, d, d)
	}
	relation.Shape = []int{r, d, d}
	if d == 1 {
		relation.Shape = relation.Shape[:2]
	}
	entity.Shape = []int{entity.Shape[0], d, 1}
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
