package kg

import "fmt"

// Schema is what the training facts of a graph say about its relations.
type Schema struct {
	Graph    string `json:"graph"`
	Facts    int    `json:"facts"`    // of training
	Entities int    `json:"entities"` // of the graph

	TypesFrom string `json:"types_from,omitempty"` // Typing.From; "" if entities have no types
	Types     int    `json:"types"`                // distinct
	Typed     int    `json:"typed_entities"`       // that have a type

	Relations []RelationSchema `json:"relations"` // by id
}

// RelationSchema describes one relation by its training facts.
type RelationSchema struct {
	Relation     string  `json:"relation"` // label
	Facts        int     `json:"facts"`
	Heads        int     `json:"heads"` // distinct
	Tails        int     `json:"tails"` // distinct
	Category     string  `json:"category"`
	TailsPerHead float64 `json:"tails_per_head"` // mean
	HeadsPerTail float64 `json:"heads_per_tail"` // mean
	OneTail      int     `json:"heads_with_one_tail"`
	OneHead      int     `json:"tails_with_one_head"`
	Loops        int     `json:"loops"`    // facts whose head is their tail
	Reversed     int     `json:"reversed"` // facts without loops that training holds the other way round, too

	Hierarchy *Hierarchy `json:"hierarchy,omitempty"`
	Inverses  []Inverse  `json:"inverses,omitempty"` // the most facts first

	// What most heads, and most tails, are: types if entities have any, else what they are of other relations. The
	// greatest share of both sets first; at most maxClasses.
	Domain []Class `json:"domain"`
	Range  []Class `json:"range"`
}

// Symmetric returns the share of facts, loops left out, that training holds the other way round, too.
func (r RelationSchema) Symmetric() float64 { return mean(r.Reversed, r.Facts-r.Loops) }

// Inverse is a relation that says the reverse of another one.
type Inverse struct {
	Relation string  `json:"relation"`
	Facts    int     `json:"facts"` // of the first relation that the other one holds the other way round
	Share    float64 `json:"share"` // of the first relation's facts without loops
}

// Class is a set of entities to which those on one side of a relation belong: a type, or one side of another relation.
type Class struct {
	Type     string  `json:"type,omitempty"`
	Relation string  `json:"relation,omitempty"` // label, if Type is ""
	Side     string  `json:"side,omitempty"`     // of Relation: "head" or "tail"
	Entities int     `json:"entities"`           // of the relation's side that belong to the class
	Share    float64 `json:"share"`              // of the entities on the relation's side
	Size     int     `json:"size"`               // entities of the class
}

// String returns the class and the share: "person 94 %", "heads of born_in 88 %".
func (c Class) String() string {
	name := c.Type
	if name == "" {
		name = c.Side + "s of " + c.Relation
	}
	return fmt.Sprintf("%s %.0f %%", name, 100*c.Share)
}

// Schema learns the schema from the training facts, and from types if there are any.
func (g *Graph) Schema() *Schema {
	index, categories := g.Index(Train), g.Index(Train).Categories()
	s := &Schema{Graph: g.Name, Facts: len(g.Train), Entities: g.Entities.Len(),
		Relations: make([]RelationSchema, g.Relations.Len())}
	typing, hierarchies := g.Typing(), g.Hierarchies()
	if typing != nil {
		s.TypesFrom, s.Types, s.Typed = typing.From, len(typing.Names), typing.Typed()
	}
	classes := g.allClasses()
	for id := range s.Relations {
		r := int32(id)
		s.Relations[id] = RelationSchema{
			Relation: g.RelationLabel(r), Facts: index.Triples(r), Heads: index.Heads(r), Tails: index.Tails(r),
			Category: categories[id].String(), TailsPerHead: index.TailsPerHead(r), HeadsPerTail: index.HeadsPerTail(r),
			OneTail: index.tails.singles(r), OneHead: index.heads.singles(r), Hierarchy: hierarchies[id],
			Domain: classes.describe(r, HeadSide), Range: classes.describe(r, TailSide),
		}
	}
	index.each(func(t Triple) {
		switch r := &s.Relations[t.Relation]; {
		case t.Head == t.Tail:
			r.Loops++
		case index.Has(reversed(t, t.Relation)):
			r.Reversed++
		}
	})
	inverses, _ := relationPairs(index)
	for _, p := range inverses {
		a, b := &s.Relations[p.first], &s.Relations[p.second]
		a.Inverses = append(a.Inverses, Inverse{b.Relation, p.shared, p.firstShare})
		b.Inverses = append(b.Inverses, Inverse{a.Relation, p.shared, p.secondShare})
	}
	return s
}
