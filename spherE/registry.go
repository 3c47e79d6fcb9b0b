package sphere

import (
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// kind is a model of the registry: everything that its Settings do not decide.
type kind struct {
	name      string   // in configs
	title     string   // in tables
	points    string   // for a model of spheres, the model of points that differs only by the radii; "" for points
	variants  []string // that it has
	isProduct bool     // the score is -d: distances are dot products, or minus logarithms
	isOutside bool     // it was registered, see Register
	source    string   // its text, if it was registered with one
	build     func(k *simd.Kernels, s Settings) design
}

// design is the geometry of a model, with the kernels of one path.
type design struct {
	rotation rotation
	norm     simd.Norm // of distances between rows
	normQ    simd.Norm // the same for points q = r(h), see distance
	// swaps: point and candidate can change places in norm. swapsQ is the same for normQ.
	swaps, swapsQ bool
	isWhole       bool     // the distance is the 2-norm of the whole row, as in variant paper, instead of norm
	bound         float64  // initial coordinates and radii are drawn from +-bound
	isHinged      bool     // every block has a radius, in the last plane of a row; the score is -d
	blockRadius   float64  // the initial one of hinged
	outside       *adapter // of a model from outside; nil for the others
}

// length returns the number of floats of a plane of an entity: a block's number of planes times length are its floats.
func (d design) length(s Settings) int {
	if d.outside != nil {
		return d.outside.shape.Entity
	}
	return s.Dimension
}

// registry has all models in the order of the paper's tables. A new model is an entry here and a file model_*.go.
var registry = []kind{
	{name: RotatE, title: "RotatE", variants: Variants(), build: planar},
	{name: Rotate3D, title: "Rotate3D", variants: Variants(), build: spatial},
	{name: SpherE2D, title: "SpherE-2D", points: RotatE, variants: Variants(), build: planar},
	{name: SpherE3D, title: "SpherE-3D", points: Rotate3D, variants: Variants(), build: spatial},
	{name: HousE5D, title: "HousE-5D", variants: notPaper(), build: householder(5, false)},
	{name: HousE10D, title: "HousE-10D", variants: notPaper(), build: householder(10, false)},
	{name: HousE20D, title: "HousE-20D", variants: notPaper(), build: householder(20, false)},
	{name: SpherE5D, title: "SpherE-5D", points: HousE5D, variants: notPaper(), build: householder(5, true)},
	{name: SpherE10D, title: "SpherE-10D", points: HousE10D, variants: notPaper(), build: householder(10, true)},
	{name: SpherE20D, title: "SpherE-20D", points: HousE20D, variants: notPaper(), build: householder(20, true)},
	{name: BoxE, title: "BoxE", variants: onlyClean(), build: boxed},
	{name: TransE, title: "TransE", variants: onlyClean(), build: translational},
	{name: TransEL2, title: "TransE-L2", variants: onlyClean(), build: euclidean},
	{name: DistMult, title: "DistMult", variants: onlyClean(), isProduct: true, build: realProduct},
	{name: ComplEx, title: "ComplEx", variants: onlyClean(), isProduct: true, build: complexProduct},
	{name: RESCAL, title: "RESCAL", variants: onlyClean(), isProduct: true, build: bilinear},
}

// notPaper are the variants of models for which the paper has no equations of their own.
func notPaper() []string { return []string{Released, Clean} }

// onlyClean is the variant of models of other papers.
func onlyClean() []string { return []string{Clean} }

// Models that count training facts, package rule. They have no parameters and no epochs.
const (
	Frequency  = "frequency"  // how often an entity occurs on that side of the relation
	Neighbours = "neighbours" // votes of similar entities
	Rules      = "rules"      // mined paths, and rules with constants
)

// MiningSteps is the default number of steps for which Rules are mined.
const MiningSteps = 1_000_000

// counted has these models in the order of tables. They have no geometry and no criterion: no score marks the end of a
// set.
var counted = []kind{
	{name: Frequency, title: "Frequency", variants: onlyClean(), isProduct: true},
	{name: Neighbours, title: "Neighbours", variants: onlyClean(), isProduct: true},
	{name: Rules, title: "Rules", variants: onlyClean(), isProduct: true},
}

// Models that were trained on other graphs, package inductive. None of their parameters belongs to a graph, and they
// have no epochs.
const (
	OwnInductive = "inductive" // its weights are part of the program
	Ultra3G      = "ultra-3g"
	Ultra50G     = "ultra-50g"
	UltraQuery   = "ultraquery" // also answers from fuzzy sets
)

// inductive has these models in the order of tables. Their score is the logarithm of odds.
var inductive = []kind{
	{name: OwnInductive, title: "Inductive", variants: onlyClean(), isProduct: true},
	{name: Ultra3G, title: "ULTRA 3g", variants: onlyClean(), isProduct: true},
	{name: Ultra50G, title: "ULTRA 50g", variants: onlyClean(), isProduct: true},
	{name: UltraQuery, title: "UltraQuery", variants: onlyClean(), isProduct: true},
}

// Counted lists the models that are counted from a graph instead of trained.
func Counted() []string { return namesOf(counted) }

// IsCounted reports whether a model is one of Counted.
func IsCounted(model string) bool { return slices.Contains(Counted(), model) }

// Inductive lists the models that answer on any graph with weights that were trained on others.
func Inductive() []string { return namesOf(inductive) }

// IsInductive reports whether a model is one of Inductive.
func IsInductive(model string) bool { return slices.Contains(Inductive(), model) }

// Heads lists the ways in which an inductive model asks for heads, see package inductive.
func Heads() []string { return []string{"inverse", "direct", "both"} }

// IsUntrained reports whether a model is counted or inductive: it needs no training on the graph and has no epochs.
func IsUntrained(model string) bool { return IsCounted(model) || IsInductive(model) }

// Scores names the model of a file of another program's scores, package scorefile. It is not one of Models: it is
// neither trained nor made, and answers the queries that its file lists.
const Scores = "scores"

// given has what was made elsewhere.
var given = []kind{{name: Scores, title: "Scores", variants: onlyClean(), isProduct: true}}

func namesOf(kinds []kind) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// kindOf returns the entry of a model; ok is false for a name that is not in the registry.
func kindOf(model string) (k kind, ok bool) {
	for _, k := range slices.Concat(registry, outsideKinds(), counted, inductive, given) {
		if k.name == model {
			return k, true
		}
	}
	return kind{}, false
}

// Models lists all models: those of the paper in the order of its tables, registered ones, those without epochs.
func Models() []string { return slices.Concat(embeddings(), Counted(), Inductive()) }

// embeddings are the models that New makes.
func embeddings() []string { return namesOf(slices.Concat(registry, outsideKinds())) }

// StackedBy is between the names of the models that a stack combines: "sphere-2d+complex".
const StackedBy = "+"

// Trees is the last name of a stack with boosted trees: "sphere-2d+complex+trees".
const Trees = "trees"

// NoCounts comes after the models of a stack that does not see counts of training facts:
// "sphere-2d+complex+no-counts+trees".
const NoCounts = "no-counts"

// HasTrees reports whether a model is a stack with boosted trees.
func HasTrees(model string) bool { return strings.HasSuffix(model, StackedBy+Trees) }

// HasNoCounts reports whether a model is a stack without counts of training facts.
func HasNoCounts(model string) bool {
	return strings.HasSuffix(strings.TrimSuffix(model, StackedBy+Trees), StackedBy+NoCounts)
}

// Title returns the name of a model in tables: "SpherE-2D", and of a stack "SpherE-2D + ComplEx", "SpherE-2D + ComplEx
// + trees" or "SpherE-2D + ComplEx + trees, no counts". A name that is not in Models is its own title.
func Title(model string) string {
	parts, end := model, ""
	if HasTrees(model) {
		parts, end = strings.TrimSuffix(model, StackedBy+Trees), " "+StackedBy+" "+Trees
	}
	if HasNoCounts(model) {
		parts, end = strings.TrimSuffix(parts, StackedBy+NoCounts), end+", no counts"
	}
	names := strings.Split(parts, StackedBy)
	for i, name := range names {
		k, ok := kindOf(name)
		if !ok {
			return model
		}
		names[i] = k.title
	}
	return strings.Join(names, " "+StackedBy+" ") + end
}

// design builds the geometry of validated settings.
func (s Settings) design(k *simd.Kernels) design {
	kind, _ := kindOf(s.Model)
	return kind.build(k, s)
}

// Coordinates returns the number of coordinates of an entity's block: 2 for sphere-2d. s must be valid, and its model
// not counted.
func (s Settings) Coordinates() int { return s.design(simd.Go()).rotation.coordinates() }

// Parameters returns the number of floats that training changes, which is that of a checkpoint. A counted model has
// none. s must be valid.
func (s Settings) Parameters(entities, relations int) int {
	if IsUntrained(s.Model) {
		return 0
	}
	d := s.design(simd.Go())
	if d.outside != nil {
		n := d.outside.shape
		return entities*n.Entity + relations*n.Relation + n.Shared
	}
	perEntity := d.rotation.planes() * s.Dimension
	if s.HasRadii() && !d.isHinged {
		perEntity++
	}
	return entities*perEntity + relations*d.rotation.width()*s.Dimension
}
