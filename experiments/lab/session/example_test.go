package session_test

import (
	"fmt"

	"github.com/spherelab/spherelab/experiments/lab/session"
)

// In a notebook the session is there already, and its methods are functions: lab.Graph("bundled").
func ExampleSession_Graph() {
	s := session.New(session.Options{})
	g := s.Graph("bundled")
	fmt.Println(g.Find("max bron").Strings("name")[0])
	fmt.Println(g.Facts("advised").Strings("relation")[0])
	// Output:
	// Max Born
	// advised
}

func ExampleModel_Set() {
	s := session.New(session.Options{})
	m := s.Model("sphere-2d").Dim(50).Epochs(30).Set("train.learning_rate", 0.01)
	fmt.Println(m.Get("dimension"), m.Get("train.epochs"), m.Get("train.learning_rate"))
	// Output: 50 30 0.01
}

func ExampleError() {
	defer func() { fmt.Println(recover()) }()
	session.New(session.Options{}).Graph("bundled").Facts("Max Bron")
	// Output: graph bundled has no entity "Max Bron"; nearest: "Max Born"
}
