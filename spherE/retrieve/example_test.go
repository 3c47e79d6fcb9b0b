package retrieve_test

import (
	"context"
	"fmt"
	"log"
	"os"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/rule"
)

func ExampleRetriever_Reply() {
	known := [][3]string{{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}, {"fox", "eats", "mouse"}}
	g, err := kg.New("zoo", known, nil, [][3]string{{"fox", "eats", "fish"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	m, err := rule.Fit(ctx, sphere.Frequency, g, rule.Settings{}) // or a *sphere.Model
	if err != nil {
		log.Fatal(err)
	}
	r, err := retrieve.New(m, g, retrieve.Options{Cut: "top-2", Size: func(kg.Query) int { return 2 }})
	if err != nil {
		log.Fatal(err)
	}
	question, err := retrieve.ParseQuestion("fox", "eats", "?")
	if err != nil {
		log.Fatal(err)
	}
	reply, err := r.Reply(ctx, question)
	if err != nil {
		log.Fatal(err)
	}
	for _, member := range reply.Answer.Set {
		fmt.Println(member.Label, member.Mark)
	}
	// Output:
	// mouse known
	// fish held out
}

func ExampleParseExpression() {
	g, err := kg.New("family", [][3]string{{"Anna", "parent", "Bert"}, {"Bert", "parent", "Dora"}}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"Anna > parent > parent", "Anna > parent minus Dora < parent", "Anna > parnet"} {
		x, err := retrieve.ParseExpression(text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %v\n", text, x.Check(g))
	}
	// Output:
	// Anna > parent > parent: <nil>
	// Anna > parent minus Dora < parent: <nil>
	// Anna > parnet: character 8: graph family has no relation "parnet"; nearest: "parent"
}

func ExampleRetriever_Predict() {
	g, err := kg.New("zoo", [][3]string{
		{"cat", "eats", "mouse"}, {"cat", "eats", "fish"}, {"owl", "eats", "mouse"}, {"fox", "eats", "mouse"},
	}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	m, err := rule.Fit(ctx, sphere.Frequency, g, rule.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	two := func(kg.Query) int { return 2 }
	r, err := retrieve.New(m, g, retrieve.Options{Cut: "top-2", Size: two})
	if err != nil {
		log.Fatal(err)
	}
	facts, err := r.Predict(ctx, retrieve.PredictOptions{Relation: 0, Sides: []kg.Side{kg.TailSide}, Top: 3})
	if err != nil {
		log.Fatal(err)
	}
	if err := retrieve.WriteFactsCSV(os.Stdout, facts); err != nil {
		log.Fatal(err)
	}
	// Output:
	// head,relation,tail,score,in_set,side,known,splits,mark,probability
	// fish,eats,mouse,-0.8109302,true,tail,false,,inferred,
	// fox,eats,fish,-1.5040774,true,tail,false,,inferred,
	// mouse,eats,fish,-1.5040774,true,tail,false,,inferred,
}

func ExampleParseQuery() {
	g, err := kg.New("zoo", [][3]string{{"cat", "eats", "mouse"}, {"fox", "eats", "mouse"}}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	q, err := retrieve.ParseQuery(g, "?", "eats", "mouse")
	fmt.Println(q.Side, g.Label(q.Known), err)
	_, err = retrieve.ParseQuery(g, "cta", "eats", "?")
	fmt.Println(err)
	// Output:
	// head mouse <nil>
	// graph zoo has no entity "cta"; nearest: "cat"
}
