package inductive

import (
	_ "embed"

	sphere "github.com/spherelab/spherelab/spherE"
)

//go:embed own.safetensors
var own []byte

// Own returns the network of the model "inductive", whose weights are part of the program. It was trained by
// spherE/inductive/pretrain on parts of OwnGraphs.
func Own() (*Network, error) {
	all, err := sphere.DecodeTensors("own.safetensors", own)
	if err != nil {
		return nil, err
	}
	return New(named(all))
}

// OwnGraphs returns the graphs whose training facts Own was trained on.
func OwnGraphs() []string { return []string{"fb15k-237", "wn18rr", "kinships", "nations"} }
