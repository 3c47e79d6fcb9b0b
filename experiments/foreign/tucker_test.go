package foreign

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

// drawnTuckER is a TuckER of 4 entities of 3 numbers and 2 relations of 5, with both batch normalizations.
func drawnTuckER() (m *inductive.Module, entity, relation sphere.Tensor) {
	r := rand.New(rand.NewPCG(3, 8))
	drawn := func(least float64, shape ...int) sphere.Tensor {
		t := sphere.Tensor{Shape: shape, Data: []float32{}}
		n := 1
		for _, size := range shape {
			n *= size
		}
		for range n {
			t.Data = append(t.Data, float32(least+r.Float64()*1.7))
		}
		return t
	}
	m = &inductive.Module{Tensors: map[string]sphere.Tensor{tuckerCore: drawn(-1, 3, 5, 3)},
		Values:  map[string]any{headNorm + ".eps": 0.25, queryNorm + ".eps": 0.5},
		Classes: map[string]string{headNorm: "BatchNorm1d", queryNorm: "BatchNorm1d"}}
	for _, name := range []string{headNorm, queryNorm} {
		for part, least := range map[string]float64{"weight": .3, "bias": -1, "running_mean": -.6, "running_var": .2} {
			m.Tensors[name+"."+part] = drawn(least, 3)
		}
	}
	return m, drawn(-1, 4, 3), drawn(-.5, 2, 5)
}

// tuckerScore is what PyKEEN computes, in its order: normalize the head, multiply by the core, normalize, multiply by
// the tail.
func tuckerScore(m *inductive.Module, h, r, t []float32) (score float64) {
	normalized := func(name string, i int, x float64) float64 {
		of := func(part string) float64 { return float64(m.Tensors[name+"."+part].Data[i]) }
		if m.Classes[name] == "" {
			return x
		}
		return (x-of("running_mean"))/math.Sqrt(of("running_var")+m.Values[name+".eps"].(float64))*of("weight") + of("bias")
	}
	core := m.Tensors[tuckerCore].Data
	for k := range t {
		sum := 0.0
		for i := range h {
			for j := range r {
				sum += normalized(headNorm, i, float64(h[i])) * float64(r[j]) * float64(core[(i*5+j)*3+k])
			}
		}
		score += normalized(queryNorm, k, sum) * float64(t[k])
	}
	return score
}

// TestTuckERIsARESCAL compares scores of the matrices with PyKEEN's formula, with batch normalizations and without.
func TestTuckERIsARESCAL(t *testing.T) {
	t.Parallel()
	m, entity, relation := drawnTuckER()
	for _, wide := range []int{4, 3} {
		if wide == 3 {
			for name := range m.Tensors {
				if name != tuckerCore {
					delete(m.Tensors, name)
				}
			}
			clear(m.Classes)
		}
		rows, matrices, err := pykeenTuckERTensors(m, entity, relation)
		expect.NoError(t, err)
		if rows.Shape[1] != wide || matrices.Shape[1] != wide {
			t.Fatalf("shapes %v and %v, want %d numbers", rows.Shape, matrices.Shape, wide)
		}
		for h := range 4 {
			for k := range 2 {
				for e := range 4 {
					want := tuckerScore(m, entity.Data[3*h:][:3], relation.Data[5*k:][:5], entity.Data[3*e:][:3])
					got, head, tail := 0.0, rows.Data[wide*h:], rows.Data[wide*e:]
					for i := range wide {
						for j := range wide {
							got += float64(head[i]) * float64(matrices.Data[(k*wide+i)*wide+j]) * float64(tail[j])
						}
					}
					if !(math.Abs(got-want) <= 2e-6*(1+math.Abs(want))) {
						t.Errorf("%d numbers: score of %d, %d, %d is %v, want %v", wide, h, k, e, got, want)
					}
				}
			}
		}
	}
}

// TestTuckERRefused: a core or a batch normalization that PyKEEN does not make.
func TestTuckERRefused(t *testing.T) {
	t.Parallel()
	for want, damage := range map[string]func(*inductive.Module){
		"core_tensor has shape [3 3 5], and entities have 3 numbers, relations 5": func(m *inductive.Module) {
			m.Tensors[tuckerCore] = sphere.Tensor{Shape: []int{3, 3, 5}, Data: m.Tensors[tuckerCore].Data}
		},
		"of interaction.head_batch_norm and interaction.head_relation_batch_norm it has one": func(m *inductive.Module) {
			for _, part := range []string{"weight", "bias", "running_mean", "running_var"} {
				delete(m.Tensors, headNorm+"."+part)
			}
			delete(m.Classes, headNorm)
		},
		"interaction.head_relation_batch_norm has not weight, bias, running_mean": func(m *inductive.Module) {
			delete(m.Tensors, queryNorm+".running_mean")
		},
		"interaction.head_batch_norm has not weight, bias, running_mean": func(m *inductive.Module) { delete(m.Values, headNorm+".eps") },
		"head_batch_norm.bias has 2 floats, and a row of the core 3": func(m *inductive.Module) {
			m.Tensors[headNorm+".bias"] = sphere.Tensor{Shape: []int{2}, Data: []float32{1, 2}}
		},
	} {
		m, entity, relation := drawnTuckER()
		damage(m)
		if _, _, err := pykeenTuckERTensors(m, entity, relation); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
