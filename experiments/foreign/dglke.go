package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
)

// dglkeFile says what the arrays next to it are.
const dglkeFile = "config.json"

// dglkeModels are the models that are read, by their names there.
var dglkeModels = map[string]string{"TransE": sphere.TransEL2, "TransE_l1": sphere.TransE, "TransE_l2": sphere.TransEL2,
	"DistMult": sphere.DistMult, "ComplEx": sphere.ComplEx, "RotatE": sphere.RotatE, "RESCAL": sphere.RESCAL}

// dglkeConfig is what DGL-KE writes next to its arrays.
type dglkeConfig struct {
	Dataset, Model string
	Size           int     `json:"emb_size"`
	Gamma          float64 // margin
	Entities       string  `json:"emap_file"`
	Relations      string  `json:"rmap_file"`
}

// readDGLKE reads the arrays that config.json names, and the names of their rows from a folder.
func readDGLKE(path, folder string, o Options) (*parameters, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c dglkeConfig
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if c.Dataset == "" || c.Model == "" || c.Size < 1 || !(c.Gamma > 0) || math.IsInf(c.Gamma, 0) {
		return nil, fmt.Errorf("%s must have dataset, model, emb_size and gamma, as DGL-KE writes them", path)
	}
	model := dglkeModels[c.Model]
	if o, err = o.of(path, cmp.Or(model, c.Model)); err != nil {
		return nil, err
	}
	if o, err = o.as(sphere.Clean, path); err != nil {
		return nil, err
	}
	p := &parameters{from: "DGL-KE's " + sphere.Title(model)}
	tensors := map[string]sphere.Tensor{}
	for _, kind := range []string{"entity", "relation"} {
		file := filepath.Join(filepath.Dir(path), c.Dataset+"_"+c.Model+"_"+kind+".npy")
		t, err := readArray(file)
		if err != nil {
			return nil, err
		}
		if len(t.Shape) != 2 {
			return nil, fmt.Errorf("%s has shape %v; it has a row for each %s", file, t.Shape, kind)
		}
		if model == sphere.ComplEx || model == sphere.RotatE && kind == "entity" {
			if t, err = halves(t); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		tensors[kind] = t
	}
	if model == sphere.RotatE { // emb_init / pi is the unit of its relations
		if width := tensors["relation"].Shape[1]; width != c.Size {
			return nil, fmt.Errorf("%s: emb_size is %d, and relations have %d angles", path, c.Size, width)
		}
		angles(tensors["relation"].Data, (c.Gamma+dglkeEpsilon)/float64(c.Size))
	}
	if model == sphere.RotatE || model == sphere.TransE || model == sphere.TransEL2 {
		o.Gamma = cmp.Or(o.Gamma, c.Gamma)
	}
	if err := p.set(o, tensors["entity"], tensors["relation"]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.entities, err = findNames(folder, dglkeNames(c.Entities, "entities")...); err != nil {
		return nil, err
	}
	p.relations, err = findNames(folder, dglkeNames(c.Relations, "relations")...)
	return p, err
}

// dglkeEpsilon is what DGL-KE adds to gamma where it draws parameters.
const dglkeEpsilon = 2

// angles makes radians of numbers, of which unit is half a turn.
func angles(data []float32, unit float64) {
	for i, x := range data {
		data[i] = float32(float64(x) * math.Pi / unit)
	}
}

// dglkeNames are the files that may have names: that of the config and those of DGL-KE's data sets.
func dglkeNames(named, kind string) []nameFile {
	var files []nameFile
	for _, name := range []string{filepath.Base(cmp.Or(named, kind+".tsv")), kind + ".tsv", kind + ".dict"} {
		if !slices.ContainsFunc(files, func(f nameFile) bool { return f.name == name }) {
			files = append(files, nameFile{name, readNumbered})
		}
	}
	return files
}

// readArray reads a file of numpy.save.
func readArray(path string) (sphere.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return sphere.Tensor{}, err
	}
	defer f.Close()
	t, err := readNPY(f)
	if err != nil {
		return t, fmt.Errorf("%s %w", path, err)
	}
	return t, nil
}
