package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// Explorer lays out the spaces of models.
type Explorer interface {
	// Explores reports whether a run's model has a space, without loading it.
	Explores(run tracker.RunInfo) bool
	// Space lays out all entities.
	Space(ctx context.Context, run tracker.RunInfo) (Space, error)
	// See returns what is around a place. It returns an error if the place is wrong.
	See(ctx context.Context, run tracker.RunInfo, p Spot) (Sight, error)
	// DrawSight draws it.
	DrawSight(ctx context.Context, run tracker.RunInfo, p Spot) (chart.Chart, error)
}

// Space is where the entities of a model are on a plane. All lists but Kinds are by entity.
type Space struct {
	Names  []string    `json:"names"` // by which entities are asked for
	X      coordinates `json:"x"`
	Y      coordinates `json:"y"`
	Radius coordinates `json:"radius"`
	Degree []int       `json:"degree"`         // known facts
	Kinds  []string    `json:"kinds"`          // types of entities
	Kind   []int       `json:"kind,omitempty"` // index in Kinds, -1 for none; nil: no entity has a type
	Note   string      `json:"-"`              // what the plane is
	Exact  bool        `json:"exact"`          // radii and distances are the model's
}

// coordinates are numbers of which a picture needs five digits.
type coordinates []float64

func (p coordinates) MarshalJSON() ([]byte, error) {
	b := []byte("[")
	for i, x := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, x, 'g', 5, 64)
	}
	return append(b, ']'), nil
}

// Spot is where a reader stands: at an entity, and maybe at a relation that moves it.
type Spot struct {
	Entity, Relation string
	Heads            bool   // the relation's heads are asked for, not its tails
	Cut              string // "" is the default
	Size             int    // how many answers the cut is to have; below 0: as many as it has
	Against          string // another run, whose answers are compared; "" for none
}

// Sight is what is around a spot.
type Sight struct {
	ID      int // of the entity
	Name    string
	Traits  [][2]string
	Nearest []Seen
	Facts   []SeenFacts
	More    string // what is left out of Facts
	Guesses []Seen // what is inferred of the entity, the most probable first; with Touched none
	Touched *Touched
	Note    string // what the plane is
}

// Seen is an entity that is seen.
type Seen struct {
	ID      int
	Name    string // by which it is asked for
	Mark    string // known, held out or inferred; "" for none
	Numbers string
	Fact    Question // that it stands for, if Mark is not ""
	Address string   // of the view from there; set by the page
	Why     string   // address of the fact's explanation; set by the page
}

// SeenFacts are facts of one relation in one direction.
type SeenFacts struct {
	Relation string
	Heads    bool
	Title    string // the question that they answer
	Counts   string
	List     []Seen
	More     string // what is left out of List
	Address  string // of the answers; set by the page
}

// Touched are the entities that the moved sphere touches, and those that it would touch by a wider cut.
type Touched struct {
	Title, Cut string
	Notes      []string
	List       []Seen // by value
	Values     []float64
	Usual      int // how many the cut has, maybe more than List
	Set        int // how many are compared: as many as are asked for, else those of the cut
	Size       int // how many are shown
	Known      int // facts that answer the question, wherever they are
	HeldOut    int
	Path       [][2]float64 // of the moving centre
	Reach      float64      // the radius of the moved sphere is this plus the value of the last answer
	Factor     float64      // of other radii
	Other      *Other       // nil: none is compared
}

// Other is what another model answers to the same question, by its own usual cut.
type Other struct {
	Run, Cut string
	List     []Seen // its set
}

// Counted says how many answers the cut has, and how many are shown if these are others.
func (t Touched) Counted() string {
	text := quantity.Count(t.Usual, "answer") + " by the cut " + t.Cut
	if t.Size != t.Usual {
		text += ", " + quantity.FirstShown(t.Size)
	}
	return text
}

// Shared counts the answers of both sets, and those of one alone.
func (t Touched) Shared() string {
	both := 0
	for _, one := range t.Other.List {
		if t.Has(one.ID) {
			both++
		}
	}
	return fmt.Sprintf("%s of both, %d only here, %d only there", quantity.Count(both, "answer"), t.Set-both,
		len(t.Other.List)-both)
}

// Counted says how many answers the other model has.
func (o Other) Counted() string {
	return quantity.Count(len(o.List), "answer") + " there, by the cut " + o.Cut
}

// Has reports whether an entity is in the set.
func (t Touched) Has(id int) bool {
	return slices.ContainsFunc(t.List[:t.Set], func(s Seen) bool { return s.ID == id })
}

// There are the answers of the other model that a page has as text.
func (t Touched) There() []Seen { return t.Other.List[:min(len(t.Other.List), maxSeen)] }

// Shows reports whether the answer in a place is shown.
func (t Touched) Shows(place int) bool { return place < t.Size }

// Listed are the answers that a page has as text.
func (t Touched) Listed() []Seen { return t.List[:min(len(t.List), maxSeen)] }

// maxSeen is how many answers a page has as text, maxTrail how many earlier places it leads back to.
const (
	maxSeen  = 200
	maxTrail = 12
)

type explorePage struct {
	Run     tracker.RunInfo
	Spot    Spot
	Trail   []exploreStep
	Kept    []string // the trail
	Sent    []string // the trail as the form sends it: with this place
	Sight   *Sight
	Data    string // the sight for the script, as JSON
	Start   []Seen
	Note    string // what the plane is
	Wrong   string
	Next    string
	Picture *picture
	Share   string // address of this view alone
}

// exploreStep is an earlier place.
type exploreStep struct{ Text, Address string }

func (p explorePage) place() string { return p.Run.Experiment }

// readSpot returns the spot of an address.
func readSpot(query url.Values) (Spot, error) {
	text := func(name string) string { return strings.TrimSpace(query.Get(name)) }
	p := Spot{Entity: text("entity"), Relation: text("relation"), Heads: text("side") == "heads", Cut: text("cut"),
		Against: text("against"), Size: -1}
	if size := text("size"); size != "" {
		n, err := strconv.Atoi(size)
		if err != nil || n < 0 {
			return p, badRequestError{"size must be a number of answers"}
		}
		p.Size = n
	}
	if p.Relation != "" && p.Entity == "" {
		return p, badRequestError{"a relation needs an entity that it moves"}
	}
	return p, nil
}

// spot is where the answers to a question lie: at its known entity. ok is false for a question without just one.
func (q Question) spot() (p Spot, ok bool) {
	if q.Expression != "" || q.Relation == "?" || q.isFact() {
		return p, false
	}
	p = Spot{Entity: q.Head, Relation: q.Relation, Cut: q.Cut}
	if q.Head == "?" {
		p.Entity, p.Heads = q.Tail, true
	}
	return p, p.Entity != "" && p.Entity != "?"
}

// values are the spot as a query.
func (p Spot) values() url.Values {
	v := url.Values{"entity": {p.Entity}}
	if p.Relation != "" {
		v.Set("relation", p.Relation)
		if p.Heads {
			v.Set("side", "heads")
		}
	}
	for name, text := range map[string]string{"cut": p.Cut, "against": p.Against} {
		if text != "" {
			v.Set(name, text)
		}
	}
	return v
}

// text is a spot on a trail.
func (p Spot) text() string {
	switch {
	case p.Relation == "":
		return p.Entity
	case p.Heads:
		return "? " + p.Relation + " " + p.Entity
	}
	return p.Entity + " " + p.Relation + " ?"
}

// at returns the address of a spot. trail are the earlier ones.
func (p Spot) at(run tracker.RunInfo, trail []string) string {
	v := p.values()
	v["trail"] = trail[max(0, len(trail)-maxTrail):]
	return "/runs/" + run.ID + "/explore?" + v.Encode()
}

// explore shows the space of a run's model, and what is around the spot in the address.
func (s *site) explore(w http.ResponseWriter, r *http.Request) error {
	run, err := s.findExploring(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	p := explorePage{Run: run, Kept: query["trail"], Sent: query["trail"]}
	if p.Spot, err = readSpot(query); err != nil {
		return err
	}
	code := http.StatusOK
	if p.Spot.Entity == "" {
		err = s.computing.do(r, func() (err error) {
			space, err := s.o.Explorer.Space(r.Context(), run)
			p.Start, p.Note = space.start(run), space.Note
			return err
		})
	} else {
		var x Sight
		err = s.computing.do(r, func() (err error) {
			x, err = s.o.Explorer.See(r.Context(), run, p.Spot)
			return err
		})
		if err == nil {
			if err := p.see(&x); err != nil {
				return err
			}
		}
	}
	switch {
	case r.Context().Err() != nil:
		return r.Context().Err()
	case err != nil:
		p.Wrong, p.Next, code = err.Error(), s.words(hint.Of(err)), status(questionError(err))
	}
	s.render(w, code, "explore", p)
	return nil
}

// see puts a sight on the page. The error is of numbers that overflowed.
func (p *explorePage) see(x *Sight) error {
	p.Note, p.Sight = x.Note, x
	p.Spot.Entity = x.Name // as the graph has it
	here := p.Spot.values().Encode()
	if last := len(p.Kept) - 1; last >= 0 && p.Kept[last] == here { // the form was sent as it was
		p.Kept = p.Kept[:last]
	}
	for i, kept := range p.Kept {
		values, err := url.ParseQuery(kept)
		if err != nil {
			continue // somebody wrote this address by hand
		}
		if spot, err := readSpot(values); err == nil && spot.Entity != "" {
			p.Trail = append(p.Trail, exploreStep{spot.text(), spot.at(p.Run, p.Kept[:i])})
		}
	}
	trail := append(p.Kept[:len(p.Kept):len(p.Kept)], here)
	p.Sent = trail[max(0, len(trail)-maxTrail):]
	lead := func(list []Seen) {
		for i := range list {
			list[i].Address = Spot{Entity: list[i].Name, Cut: p.Spot.Cut, Against: p.Spot.Against}.at(p.Run, trail)
			if list[i].Mark != "" {
				list[i].Why = list[i].Fact.address(p.Run, "explain", url.Values{})
			}
		}
	}
	lead(x.Nearest)
	lead(x.Guesses)
	for i := range x.Facts {
		f := &x.Facts[i]
		lead(f.List)
		there := p.Spot
		there.Relation, there.Heads = f.Relation, f.Heads
		f.Address = there.at(p.Run, p.Kept)
	}
	if t := x.Touched; t != nil {
		lead(t.List)
		if t.Other != nil {
			lead(t.Other.List)
		}
	}
	raw, err := json.Marshal(x.data())
	if err != nil {
		return modelError{fmt.Errorf("%s has numbers around it that overflowed: %w", x.Name, err)}
	}
	p.Data = string(raw)
	values := p.Spot.values()
	if p.Spot.Size >= 0 {
		values.Set("size", strconv.Itoa(p.Spot.Size))
	}
	drawn := newPicture("What is around "+x.Name, "/runs/"+p.Run.ID+"/sight", values)
	p.Picture = &drawn
	return nil
}

// sightPicture draws the spot of an address.
func (s *site) sightPicture(format string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		run, err := s.findExploring(r)
		if err != nil {
			return err
		}
		spot, err := readSpot(r.URL.Query())
		if err != nil {
			return err
		}
		var c chart.Chart
		if err := s.computing.do(r, func() (err error) {
			c, err = s.o.Explorer.DrawSight(r.Context(), run, spot)
			return questionError(err)
		}); err != nil {
			return err
		}
		return sendChart(w, r, c, format, "sight")
	}
}

// findExploring returns the run of an address, whose model must have a space.
func (s *site) findExploring(r *http.Request) (tracker.RunInfo, error) {
	run, err := s.findAnswering(r)
	if err == nil && (s.o.Explorer == nil || !s.o.Explorer.Explores(run)) {
		err = runError{notFoundError{"run " + title(run) + " cannot be explored: its model does not place entities in a space " +
			"whose distances decide"}, run, ""}
	}
	return run, err
}
