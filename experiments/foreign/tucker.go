package foreign

import (
	"fmt"
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// The tensors of PyKEEN's TuckER.
const (
	pykeenTuckER   = "pykeen.models.unimodal.tucker TuckER"
	tuckerCore     = "interaction.core_tensor"
	headNorm       = "interaction.head_batch_norm"
	queryNorm      = "interaction.head_relation_batch_norm"
	normParameters = 4 // of each of the two
)

// tuckerOf is what a TuckER was, for people.
func tuckerOf(program string) string { return program + ", as a " + sphere.Title(sphere.RESCAL) }

// affine is what a batch normalization does to a row outside training: x_i becomes scale_i x_i + shift_i.
type affine struct{ scale, shift []float64 }

// batchNorm reads one of a width; ok is false where the model has none.
func batchNorm(m *inductive.Module, name string, width int) (a affine, ok bool, err error) {
	var of [normParameters][]float32
	have := 0
	for i, part := range []string{"weight", "bias", "running_mean", "running_var"} {
		t, found := m.Tensors[name+"."+part]
		if !found {
			continue
		}
		if have++; len(t.Data) != width {
			return a, false, fmt.Errorf("tensor %s.%s has %d floats, and a row of the core %d", name, part, len(t.Data), width)
		}
		of[i] = t.Data
	}
	if have == 0 && m.Classes[name] == "" {
		return a, false, nil
	}
	eps, known := m.Values[name+".eps"].(float64)
	if have != normParameters || !known || !(eps >= 0) {
		return a, false, fmt.Errorf("%s has not weight, bias, running_mean, running_var and eps; it is read as PyKEEN makes it", name)
	}
	a = affine{make([]float64, width), make([]float64, width)}
	for i := range width {
		a.scale[i] = float64(of[0][i]) / math.Sqrt(float64(of[3][i])+eps)
		a.shift[i] = float64(of[1][i]) - float64(float64(of[2][i])*a.scale[i])
	}
	return a, true, nil
}

// pykeenTuckERTensors returns the rows and matrices of a RESCAL that has the scores of a TuckER of PyKEEN. With W of a
// relation the sum over j of r_j core_ij., the score is N'(N(h) W) t, where N and N' are batch normalizations:
// N(h) = a h + b and N'(x) = c x + d, number by number. So a matrix is a_i W_ik c_k. What the shifts add is linear in
// t, and the last row of the matrix has it, as the last number of every entity is 1 there.
func pykeenTuckERTensors(m *inductive.Module, entity, relation sphere.Tensor) (e, r sphere.Tensor, err error) {
	core, wide := m.Tensors[tuckerCore], entity.Shape[1]
	if len(core.Shape) != 3 || core.Shape[0] != wide || core.Shape[1] != relation.Shape[1] || core.Shape[2] != wide {
		return e, r, fmt.Errorf("tensor %s has shape %v, and entities have %d numbers, relations %d", tuckerCore, core.Shape, wide,
			relation.Shape[1])
	}
	head, isNormal, err := batchNorm(m, headNorm, wide)
	if err != nil {
		return e, r, err
	}
	query, isAlsoNormal, err := batchNorm(m, queryNorm, wide)
	if err != nil {
		return e, r, err
	}
	if isNormal != isAlsoNormal {
		return e, r, fmt.Errorf("of %s and %s it has one; PyKEEN's TuckER has both or none", headNorm, queryNorm)
	}
	w := mixed(core, relation)
	if !isNormal {
		return entity, matricesOf(w, relation.Shape[0], wide), nil
	}
	n, folded := wide+1, make([]float64, 0, relation.Shape[0]*(wide+1)*(wide+1))
	for k := range relation.Shape[0] {
		matrix := make([]float64, n*n)
		copy(matrix[wide*n:], query.shift)
		for i := range wide {
			for j := range wide {
				x := float64(w[(k*wide+i)*wide+j] * query.scale[j])
				matrix[i*n+j] = float64(head.scale[i] * x)
				matrix[wide*n+j] += float64(head.shift[i] * x)
			}
		}
		folded = append(folded, matrix...)
	}
	rows := make([]float32, 0, entity.Shape[0]*n)
	for i := range entity.Shape[0] {
		rows = append(append(rows, entity.Data[i*wide:][:wide]...), 1)
	}
	return sphere.Tensor{Shape: []int{entity.Shape[0], n}, Data: rows}, matricesOf(folded, relation.Shape[0], n), nil
}

// mixed returns the sums over j of r_j core_ijk for each relation, row by row.
func mixed(core, relation sphere.Tensor) []float64 {
	rows, width, columns := core.Shape[0], core.Shape[1], core.Shape[2]
	sums := make([]float64, 0, relation.Shape[0]*rows*columns)
	for k := range relation.Shape[0] {
		for i := range rows {
			at := len(sums)
			sums = append(sums, make([]float64, columns)...)
			for j, r := range relation.Data[k*width:][:width] {
				for c, x := range core.Data[(i*width+j)*columns:][:columns] {
					sums[at+c] += float64(float64(r) * float64(x))
				}
			}
		}
	}
	return sums
}

// matricesOf are matrices of n rows and columns, one for each relation.
func matricesOf(numbers []float64, relations, n int) sphere.Tensor {
	data := make([]float32, len(numbers))
	for i, x := range numbers {
		data[i] = float32(x)
	}
	return sphere.Tensor{Shape: []int{relations, n, n}, Data: data}
}
