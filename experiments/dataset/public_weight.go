package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/inductive"
)

const (
	ultraHome = "https://github.com/DeepGraphLearning/ULTRA"
	// ultraFolder may have all weights of that home.
	ultraFolder = "ultra"
	ultraFiles  = "https://raw.githubusercontent.com/DeepGraphLearning/ULTRA/"
)

// ultraGraphs are the graphs that ultra-50g was trained on, by their names in its home. Of its 57 data sets it lacks
// CoDEx-L, two thinned ones of FB15k-237 and the four of Hamaguchi (issue 15 of its home).
const ultraGraphs = `FB15k237 WN18RR CoDExMedium NELL995 YAGO310 DBpedia100k AristoV4 Hetionet WDsinger CoDExSmall
	NELL23k ConceptNet100k FB15k237_10
	FB15k237Inductive:v1 FB15k237Inductive:v2 FB15k237Inductive:v3 FB15k237Inductive:v4
	WN18RRInductive:v1 WN18RRInductive:v2 WN18RRInductive:v3 WN18RRInductive:v4
	NELLInductive:v1 NELLInductive:v2 NELLInductive:v3 NELLInductive:v4 ILPC2022:small ILPC2022:large
	FBIngram:25 FBIngram:50 FBIngram:75 FBIngram:100 WKIngram:25 WKIngram:50 WKIngram:75 WKIngram:100
	NLIngram:0 NLIngram:25 NLIngram:50 NLIngram:75 NLIngram:100
	WikiTopicsMT1:tax WikiTopicsMT1:health WikiTopicsMT2:org WikiTopicsMT2:sci WikiTopicsMT3:art WikiTopicsMT3:infra
	WikiTopicsMT4:sci WikiTopicsMT4:health Metafam FBNELL`

// graphDigests are those of whole graphs that checkpoints were trained on, by their names in List: a copy under another
// name is the same graph.
func graphDigests() map[string]string {
	return map[string]string{
		"f20dad5bc6442a63843d3e65cd7bafca4a5fc7c19b20d2681f25a09f1d6ab63a": "fb15k-237",
		"e9e843a10838baef1729a12d05456d305ca08d1ad0860a391bd7df622dbb317b": "wn18rr",
		"ee7ea2f130bbdaaac4f8134b3e864ddd5e320b89ca1ef7d6db62847a6d96f7f6": "kinships",
		"a0f7547a298ef113a4772ef67246672c77645b7c3c502d8702ea34e28d079aea": "nations",
	}
}

// TrainedOn reports whether a checkpoint was trained on a graph: by the digest of its content where that is known, else
// by its name, of which only letters and digits count: FB15k-237 is fb15k237.
func (s Set) TrainedOn(name, digest string) bool {
	if known, ok := graphDigests()[digest]; ok {
		name = known
	}
	return slices.ContainsFunc(s.Training, func(graph string) bool { return plainName(graph) == plainName(name) })
}

// plainName has the letters and digits of a name, in lower case.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// Checkpoints returns the known weights of models that are not trained here. They have one file each, in a folder of
// their name. Their addresses name a commit, so the content does not change.
func Checkpoints() []Set {
	const bytes = 2_127_350
	return []Set{
		{
			Name: "ultra-3g", Title: "an inductive model, trained on FB15k-237, WN18RR and CoDEx-M", Home: ultraHome,
			Licence: "MIT", Training: []string{"FB15k-237", "WN18RR", "CoDEx-M", "CoDExMedium"},
			Files: []File{{Name: "ultra_3g.pth", Bytes: bytes,
				URL:    ultraFiles + "68433c19a465735ae59f7f947e6dd062bab7b445/ckpts/ultra_3g.pth",
				Digest: "fdedc01b0045fc089d2ad5da08569466b7b221691fe978a18e91082bbb133c18"}},
		},
		{
			Name: "ultra-50g", Title: "the same, trained on fifty graphs, which its home lists", Home: ultraHome,
			Licence: "MIT", Training: append(strings.Fields(ultraGraphs), "CoDEx-M", "CoDEx-S", "NELL-995", "YAGO3-10"),
			Files: []File{{Name: "ultra_50g.pth", Bytes: bytes,
				URL:    ultraFiles + "33c6e6b8e522aed3d33f6ce5d3a1883ca9284718/ckpts/ultra_50g.pth",
				Digest: "f1c5377b2cf547aaa67520ffb6fce27b75b6eb3417b86dc9cf9dba89964ed10f"}},
		},
		{
			Name: "ultraquery", Title: "ULTRA, trained on questions of several steps about FB15k-237", Home: ultraHome,
			Licence: "MIT", Training: []string{"FB15k-237", "WN18RR", "CoDEx-M", "CoDExMedium", "NELL995", "NELL-995"},
			Files: []File{{Name: "ultraquery.pth", Bytes: 2_129_462,
				URL:    ultraFiles + "404c7b1141bf27df79776cd0156faad2fde8e5d0/ckpts/ultraquery.pth",
				Digest: "9b6dc20801c35e7c9ebe65764acb4ed9cb5bffc6b0a0a727bd48935589e9388d"}},
		},
	}
}

// Weights returns Checkpoints, and the weights that are part of the program.
func Weights() []Set {
	return append(Checkpoints(), Set{Name: sphere.OwnInductive, Title: "an inductive model of this program",
		Training: inductive.OwnGraphs()})
}

// fetched returns the sets and checkpoints that Get can fetch.
func fetched() []Set { return append(List(), Checkpoints()...) }

// FetchedNames returns the names of fetched.
func FetchedNames() []string { return namesOf(fetched()) }

// FindFetched is Lookup for sets and checkpoints.
func FindFetched(name string) (Set, error) { return lookup(name, fetched()) }

// Origin returns where a set is from, in words for the user who fetches it.
func (s Set) Origin() string {
	return fmt.Sprintf("%s: %s. From %s, licence: %s.", s.Name, s.Title, s.Home, s.Licence)
}

// FindCheckpoint returns the path of a known checkpoint, whose content is checked: dir/NAME/FILE, or dir/ultra/FILE as
// its home has it, in the first of the folders that has it. Its error is a *CheckpointError, a *DigestError or an
// *UnknownError.
func FindCheckpoint(name string, dirs ...string) (string, error) {
	set, err := lookup(name, Checkpoints())
	if err != nil {
		return "", err
	}
	file := set.Files[0]
	for _, dir := range dirs {
		for _, folder := range []string{set.Name, ultraFolder} {
			path := filepath.Join(dir, folder, file.Name)
			if _, err := os.Stat(path); dir == "" || err != nil {
				continue
			}
			return path, checkFile(path, file)
		}
	}
	return "", &CheckpointError{Set: set, Dirs: dirs}
}

// CheckpointError is the error for weights that are not on this machine.
type CheckpointError struct {
	Set  Set
	Dirs []string // that were searched
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the weights of %s were not found in %s (%s; %s, licence: %s)", e.Set.Name, strings.Join(e.Dirs, ", "),
		e.Set.Title, e.Set.Home, e.Set.Licence)
}

// Hints returns how to fetch the weights.
func (e *CheckpointError) Hints() []hint.Hint {
	return []hint.Hint{{Action: hint.FetchGraph, Subject: e.Set.Name}}
}
