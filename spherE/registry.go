package sphere

import (
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// Models that New accepts.
const (
	RotatE   = "rotate"    // points, blocks in the plane
	Rotate3D = "rotate3d"  // points, blocks in space
	SpherE2D = "sphere-2d" // spheres, blocks in the plane
	SpherE3D = "sphere-3d" // spheres, blocks in space
)

// kind is a model of the registry: all that it is besides its Settings.
type kind struct {
	name     string   // in configs
	title    string   // in tables
	points   string   // of spheres: the model of points that differs in nothing but the radii; "" for points
	variants []string // that it has
	product  bool     // distances are dot products, and the score is -d
	build    func(k *simd.Kernels, s Settings) design
}

// design is the geometry of a model, with the kernels of one path.
type design struct {
	rotation rotation
	norm     simd.Norm // of distances between rows
	normQ    simd.Norm // the same for points q = r(h), see distance
	// swaps: point and candidate can change places in norm. swapsQ is the same for normQ.
	swaps, swapsQ bool
	bound         float64 // initial coordinates and radii are drawn from +-bound
	hinged        bool    // every block has a radius, in the last plane of a row; the score is -d
	blockRadius   float64 // the initial one of hinged
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
	{name: DistMult, title: "DistMult", variants: onlyClean(), product: true, build: realProduct},
	{name: ComplEx, title: "ComplEx", variants: onlyClean(), product: true, build: complexProduct},
}

// notPaper are the variants of models for which the paper has no equations of their own.
func notPaper() []string { return []string{Released, Clean} }

// onlyClean is the variant of models of other papers.
func onlyClean() []string { return []string{Clean} }

// kindOf returns the entry of a model; ok is false for a name that is not in the registry.
func kindOf(model string) (k kind, ok bool) {
	i := slices.IndexFunc(registry, func(k kind) bool { return k.name == model })
	if i < 0 {
		return kind{}, false
	}
	return registry[i], true
}

// Models lists all models in the order of the paper's tables.
func Models() []string {
	var names []string
	for _, k := range registry {
		names = append(names, k.name)
	}
	return names
}

// StackedBy is between the names of the models that a stack combines: "sphere-2d+complex".
const StackedBy = "+"

// Trees is the last name of a stack with boosted trees: "sphere-2d+complex+trees".
const Trees = "trees"

// HasTrees reports whether a model is a stack with boosted trees.
func HasTrees(model string) bool { return strings.HasSuffix(model, StackedBy+Trees) }

// Title is the name of a model in tables: "SpherE-2D", and of a stack "SpherE-2D + ComplEx" or "SpherE-2D + ComplEx +
// trees". A name that is not in Models is its own title.
func Title(model string) string {
	names := strings.Split(model, StackedBy)
	for i, name := range names {
		if k, ok := kindOf(name); ok {
			names[i] = k.title
		} else if len(names) > 1 && (name != Trees || i != len(names)-1) {
			return model
		}
	}
	return strings.Join(names, " "+StackedBy+" ")
}

// PointsOf returns the model of points that differs from a model of spheres in nothing but the radii, "" for a model of
// points.
func PointsOf(model string) string {
	k, _ := kindOf(model)
	return k.points
}

// design builds the geometry of validated settings.
func (s Settings) design(k *simd.Kernels) design {
	kind, _ := kindOf(s.Model)
	return kind.build(k, s)
}

// Coordinates is the number of coordinates of an entity's block: 2 for sphere-2d. s must be valid.
func (s Settings) Coordinates() int { return s.design(simd.Go()).rotation.coordinates() }

// Parameters is the number of floats of a checkpoint: what training changes. s must be valid.
func (s Settings) Parameters(entities, relations int) int {
	d := s.design(simd.Go())
	perEntity := d.rotation.planes() * s.Dimension
	if s.HasRadii() && !d.hinged {
		perEntity++
	}
	return entities*perEntity + relations*d.rotation.width()*s.Dimension
}
