package sphere

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// Names of the model's tensors in a checkpoint.
//
//	entity.center   [entities, dimension, 2]   real and imaginary part of every block; in space 3 coordinates
//	entity.radius   [entities]                 raw radii, for models with spheres
//	                [entities, dimension]      where every block has a radius: signed radii
//	relation.phase  [relations, dimension]     raw phases; theta = raw * pi * dimension / (gamma + epsilon)
//	                [relations, dimension, 3]  in space: raw angles of the axis, B1 and B2, and of the rotation;
//	                                           angle = raw * pi * 3 * dimension / (gamma + epsilon)
//	                [relations, dimension, 4]  in variant released also the scale b, signed; |b| multiplies a head
//	                [relations, dimension, n k] for blocks of k coordinates: the raw vectors of n reflections
//	                [relations, dimension, k], or 2k if reciprocal, for dot products of k planes: the factors
//	                [relations, dimension]     for transe and transe-l2: what is added
//	                [relations, dimension, 4]  for boxe: center and raw width of the box of heads, then of tails
//	shared          [floats]                   of some models from outside; there the others have the shapes of Shape
const (
	centerName = "entity.center"
	radiusName = "entity.radius"
	phaseName  = "relation.phase"
	sharedName = "shared"
)

// Keys of a checkpoint's metadata that this package writes.
const (
	formatKey    = "format" // required by PyTorch's loader
	numericsKey  = "numerics_version"
	settingsKey  = "settings"
	entitiesKey  = "entities"
	relationsKey = "relations"
)

// aboutKey is the prefix of metadata keys that describe a tensor in words. They are for people; no program reads them.
const aboutKey = "about/"

// worded is a rotation without angles, which describes its tensors itself.
type worded interface{ words() (center, phase string) }

// about describes the tensors of m, for people who open the file with another program. docs/python.md has the details.
func (m *Model) about() map[string]string {
	center := "[entities, blocks, 2]: real and imaginary part of the center's blocks, in units of distance"
	phase, share := "[relations, blocks]: raw angle of every block", 1
	k := m.rotation.coordinates()
	if k == 3 {
		center = "[entities, blocks, 3]: x, y and z of the center's blocks, in units of distance"
		phase, share = "[relations, blocks, 3]: raw angles B1, B2 and theta of every block; theta turns about the axis "+
			"(cos B1, sin B1 cos B2, sin B1 sin B2)", 3
		if m.rotation.width() > rawAngles {
			phase = strings.Replace(phase, "3]", "4]", 1) +
				", then the scale b, which is not an angle: |b| scales a head"
		}
	}
	radians := math.Pi * float64(share*m.settings.Dimension) / (m.settings.Gamma + m.settings.Epsilon)
	texts := map[string]string{
		aboutKey + centerName: center,
		aboutKey + phaseName:  fmt.Sprintf("%s; radians = raw * %v", phase, radians),
	}
	if r, ok := m.rotation.(worded); ok {
		texts[aboutKey+centerName], texts[aboutKey+phaseName] = r.words()
	}
	if k > 3 {
		texts[aboutKey+centerName] = fmt.Sprintf("[entities, blocks, %d]: coordinates of the center's blocks, in units "+
			"of distance", k)
		texts[aboutKey+phaseName] = fmt.Sprintf("[relations, blocks, %d]: of every block the vectors v of %d "+
			"reflections x - 2 (v.x)/(v.v) v, %d numbers each; a head is reflected by the first one first",
			m.rotation.width(), m.rotation.width()/k, k)
	}
	switch {
	case m.geometry.isHinged:
		texts[aboutKey+radiusName] = "[entities, blocks]: radius of every block with its sign, in units of distance"
	case m.radius == nil:
	case m.settings.Variant == Paper:
		texts[aboutKey+radiusName] = "[entities]: radius rho with its sign, in units of distance"
	default:
		texts[aboutKey+radiusName] = "[entities]: raw radius, in units of distance; rho = |raw|"
	}
	return texts
}

// parts describes arrays shaped like the model's parameters as tensors, with a prefix before their names.
func (m *Model) parts(prefix string, of moments) []tensor {
	d, blocks := m.geometry.length(m.settings), m.blocks
	planes, width := m.rotation.coordinates(), m.rotation.width()
	all := []tensor{
		{
			name: prefix + centerName, shape: []int{m.entities, d, planes}, data: of.center,
			rows: m.entities, blocks: d, planes: planes, stride: m.stride, plane: blocks,
		},
		{
			name: prefix + phaseName, shape: phaseShape(m.relations, d, width), data: of.phase,
			rows: m.relations, blocks: d, planes: width, stride: width * blocks, plane: blocks,
		},
	}
	if a := m.geometry.outside; a != nil {
		n := a.shape.Relation
		all[1].shape, all[1].blocks, all[1].planes, all[1].plane = []int{m.relations, n}, n, 1, width*blocks
		if n := a.shape.Shared; n > 0 {
			all = append(all, tensor{name: prefix + sharedName, shape: []int{n}, data: of.shared,
				rows: 1, blocks: n, planes: 1, stride: len(of.shared), plane: len(of.shared)})
		}
	}
	if m.radius != nil {
		all = append(all, tensor{
			name: prefix + radiusName, shape: []int{m.entities}, data: of.radius,
			rows: m.entities, blocks: 1, planes: 1, stride: 1,
		})
	}
	if m.geometry.isHinged {
		all = append(all, tensor{
			name: prefix + radiusName, shape: []int{m.entities, d}, data: of.center[planes*blocks:],
			rows: m.entities, blocks: d, planes: 1, stride: m.stride,
		})
	}
	return all
}

func phaseShape(relations, dimension, width int) []int {
	if width == 1 {
		return []int{relations, dimension}
	}
	return []int{relations, dimension, width}
}

func (m *Model) tensors() []tensor { return m.parts("", m.parameters()) }

// Digest returns the checkpoint_digest: a SHA-256 over names, shapes and values of the parameters, and nothing else.
func (m *Model) Digest() string { return digestOf(m.tensors()) }

// Save writes the model as a safetensors file, atomically. metadata is stored next to this package's own keys. It is an
// error if metadata contains one of them.
func (m *Model) Save(path string, metadata map[string]string) error {
	own, err := m.metadata()
	if err != nil {
		return err
	}
	for k := range own {
		if _, taken := metadata[k]; taken {
			return fmt.Errorf("checkpoint %s: metadata key %q is reserved", path, k)
		}
	}
	maps.Copy(own, metadata)
	maps.Copy(own, m.about())
	own[digestKey] = m.Digest()
	own[fileDigest] = digestOfFile(m.tensors(), own)
	return writeTensors(path, m.tensors(), own)
}

func (m *Model) metadata() (map[string]string, error) {
	settings, err := json.Marshal(m.settings)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		formatKey: "pt", numericsKey: strconv.Itoa(NumericsVersion), settingsKey: string(settings),
		entitiesKey: strconv.Itoa(m.entities), relationsKey: strconv.Itoa(m.relations), digestKey: "", fileDigest: "",
	}, nil
}

// Load reads a model that Save wrote, verifies its digest, and returns all metadata. It refuses a model of another
// numerics version, because its answers would differ from the numbers that its run logged.
func Load(path string) (*Model, map[string]string, error) {
	f, err := openTensors(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	m, err := f.model()
	if err != nil {
		return nil, nil, err
	}
	if err := f.read(m.tensors()); err != nil {
		return nil, nil, err
	}
	if err := f.verify(m.tensors()); err != nil {
		return nil, nil, err
	}
	if claimed := f.metadata[digestKey]; claimed != m.Digest() {
		err := fmt.Errorf("%s is %q, but its tensors have %s", digestKey, claimed, m.Digest())
		return nil, nil, &CheckpointError{path, err}
	}
	m.prepareAll()
	return m, f.metadata, nil
}

// model allocates the model that the metadata describes.
func (f *tensorFile) model() (*Model, error) {
	var settings Settings
	fault := func(err error) error {
		return &CheckpointError{f.path, fmt.Errorf("was not written by spherelab: %w", err)}
	}
	if f.metadata == nil {
		return nil, fault(errors.New("it has no metadata"))
	}
	if v := f.metadata[numericsKey]; v != strconv.Itoa(NumericsVersion) {
		return nil, &CheckpointError{f.path, fmt.Errorf(
			"was made with numerics version %q, this is version %d: use the program that made it, or train again",
			v, NumericsVersion)}
	}
	if err := json.Unmarshal([]byte(f.metadata[settingsKey]), &settings); err != nil {
		return nil, fault(fmt.Errorf("metadata %s: %w", settingsKey, err))
	}
	entities, err := strconv.Atoi(f.metadata[entitiesKey])
	if err != nil {
		return nil, fault(fmt.Errorf("metadata %s: %w", entitiesKey, err))
	}
	relations, err := strconv.Atoi(f.metadata[relationsKey])
	if err != nil {
		return nil, fault(fmt.Errorf("metadata %s: %w", relationsKey, err))
	}
	// Compare shapes before allocating: a damaged header must not ask for terabytes.
	if err := settings.Validate(); err != nil {
		return nil, fault(err)
	}
	geometry := settings.design(simd.Go()) // for its shapes
	rotation := geometry.rotation
	expected := []tensor{{name: centerName, shape: []int{entities, geometry.length(settings), rotation.coordinates()}},
		{name: phaseName, shape: phaseShape(relations, settings.Dimension, rotation.width())}}
	switch {
	case geometry.outside != nil:
		expected[1].shape = []int{relations, geometry.outside.shape.Relation}
		if n := geometry.outside.shape.Shared; n > 0 {
			expected = append(expected, tensor{name: sharedName, shape: []int{n}})
		}
	case geometry.isHinged:
		expected = append(expected, tensor{name: radiusName, shape: []int{entities, settings.Dimension}})
	case settings.HasRadii():
		expected = append(expected, tensor{name: radiusName, shape: []int{entities}})
	}
	for _, t := range expected {
		if err := f.checkShape(t.name, t.shape...); err != nil {
			return nil, fault(err)
		}
	}
	m, err := newModel(settings, entities, relations, "")
	if err != nil {
		return nil, &CheckpointError{f.path, err}
	}
	return m, nil
}
