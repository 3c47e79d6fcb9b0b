package kg_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/spherelab/spherelab/spherE/kg"
)

func ExampleNew() {
	train := [][3]string{{"Anna", "parent", "Bert"}, {"Anna", "parent", "Clara"}, {"Bert", "parent", "Dora"}}
	test := [][3]string{{"Clara", "parent", "Emil"}}
	g, err := kg.New("family", train, nil, test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Entities.Len(), "entities,", g.Relations.Len(), "relation")
	for _, t := range g.Test {
		fmt.Println(g.Label(t.Head), g.RelationLabel(t.Relation), g.Label(t.Tail))
	}
	// Output:
	// 5 entities, 1 relation
	// Clara parent Emil
}

func ExampleGraph_Index() {
	train := [][3]string{{"Anna", "parent", "Bert"}, {"Anna", "parent", "Clara"}, {"Bert", "parent", "Dora"}}
	test := [][3]string{{"Anna", "parent", "Emil"}}
	g, err := kg.New("family", train, nil, test)
	if err != nil {
		log.Fatal(err)
	}
	anna, err := g.FindEntity("Anna")
	if err != nil {
		log.Fatal(err)
	}
	q := kg.Query{Side: kg.TailSide, Known: anna, Relation: 0} // (Anna, parent, ?)
	for _, e := range g.Index(kg.Train).Answers(q) {
		fmt.Println("known:", g.Label(e))
	}
	fmt.Println("with the test split:", len(g.Index(kg.Train, kg.Test).Answers(q)))
	// Output:
	// known: Bert
	// known: Clara
	// with the test split: 3
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"train.txt": "Anna\tparent\tBert\nBert\tparent\tDora\n",
		"valid.txt": "Anna\tparent\tClara\n",
		"test.txt":  "Clara\tparent\tEmil\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	g, err := kg.Load(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(g.Train), len(g.Valid), len(g.Test))
	// Output:
	// 2 1 1
}

func ExampleGraph_FindEntity() {
	g, err := kg.New("family", [][3]string{{"Anna", "parent", "Bert"}, {"Bert", "parent", "Dora"}}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	_, err = g.FindEntity("Dorra")
	fmt.Println(err)
	var missing *kg.NotFoundError
	fmt.Println(errors.As(err, &missing))
	// Output:
	// graph family has no entity "Dorra"; nearest: "Dora"
	// true
}

func ExampleCheck() {
	g, err := kg.New("family", [][3]string{
		{"Anna", "parent", "Bert"}, {"Anna", "parent", "Clara"}, {"Bert", "parent", "Dora"},
		{"Bert", "child", "Anna"}, {"Clara", "child", "Anna"},
	}, nil, [][3]string{{"Dora", "child", "Bert"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range kg.Check(g).PerRelation {
		fmt.Printf("%s (%s): %d facts, %.0f %% of held-out ones have a twin in training\n", r.Relation, r.Category, r.Facts(), 100*r.Leak)
	}
	// Output:
	// child (n-1): 3 facts, 0 % of held-out ones have a twin in training
	// parent (1-n): 3 facts, 0 % of held-out ones have a twin in training
}

func ExampleSampler_Draw() {
	g, err := kg.New("family", [][3]string{
		{"Anna", "parent", "Bert"}, {"Anna", "parent", "Clara"}, {"Bert", "parent", "Dora"},
	}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	s, err := kg.NewSampler(g, kg.Uniform, 1, 2)
	if err != nil {
		log.Fatal(err)
	}
	positives, negatives := make([]kg.Triple, 2), make([]kg.Negative, 4)
	s.Draw(0, 0, positives, negatives) // the draw of step 0 is the same on every machine
	for i, n := range negatives {
		p := positives[i/2]
		fmt.Printf("%s parent %s; wrong %v: %s\n", g.Label(p.Head), g.Label(p.Tail), n.Side, g.Label(n.Entity))
	}
	// Output:
	// Anna parent Bert; wrong head: Clara
	// Anna parent Bert; wrong head: Clara
	// Anna parent Bert; wrong tail: Anna
	// Anna parent Bert; wrong tail: Anna
}

func ExamplePattern_Graph() {
	p, found := kg.FindPattern("pattern-symmetry")
	if !found {
		log.Fatal("there is no such pattern")
	}
	g, err := p.Graph(7)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Rule)
	fmt.Println(len(g.Train), "training triples,", len(g.Test), "held out,", len(g.Distractors), "known to be false")
	// Output:
	// r(x,y) gives r(y,x)
	// 192 training triples, 24 held out, 72 known to be false
}
