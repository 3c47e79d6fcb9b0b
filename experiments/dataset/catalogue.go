// Package dataset fetches the benchmark graphs from their public homes, checks them and finds them again on the disk.
package dataset

import (
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/internal/spelling"
)

// Set is a benchmark graph that Get can fetch.
type Set struct {
	Name    string // folder name, "fb15k-237"
	Title   string // what it is, in one line
	Home    string // page of its repository
	Licence string // licence of the data, not of this program
	// Training are the graphs that a checkpoint was trained on, some by several names; nil for a graph.
	Training []string
	Files    []File // train, valid, test
	base     string // address of the files' folder
}

// File is one file of a Set.
type File struct {
	Name    string // "train.txt"
	URL     string // public address
	Triples int    // number of lines
	// Digest is the SHA-256, in hexadecimal, of the lines in bytewise order, each ended by a line feed: public homes
	// differ in the order of the lines.
	Digest string
	// Bytes is the size of a file that is not text, whose Digest is that of the whole content; 0 for a file of triples.
	Bytes int64
}

const (
	rotateHome  = "https://github.com/DeepGraphLearning/KnowledgeGraphEmbedding"
	rotateFiles = "https://raw.githubusercontent.com/DeepGraphLearning/KnowledgeGraphEmbedding/master/data/"
	pykeenHome  = "https://github.com/pykeen/pykeen"
	pykeenFiles = "https://raw.githubusercontent.com/pykeen/pykeen/master/src/pykeen/datasets/"
)

// List returns the known sets, the paper's first.
func List() []Set {
	sets := []Set{
		{
			Name: "fb15k-237", Title: "facts of Freebase, without inverse relations",
			Home: rotateHome, base: rotateFiles + "FB15k-237/", Licence: "CC BY (Freebase)",
			Files: []File{
				{Name: "train.txt", Triples: 272115,
					Digest: "8d2a771809b0f38f2824c839f25ec57e3a187405049112751e72c82ee9eb3e12"},
				{Name: "valid.txt", Triples: 17535,
					Digest: "1c4febacc6daabc6f3f8e72650935126ef208b098be3a90a81780ba69401836d"},
				{Name: "test.txt", Triples: 20466,
					Digest: "a7156e4560d173ee2e3e8504c490e95d14fa893f1863a6d584d2f5053489a647"},
			},
		},
		{
			Name: "wn18rr", Title: "word senses of WordNet, without inverse relations",
			Home: rotateHome, base: rotateFiles + "wn18rr/", Licence: "WordNet licence",
			Files: []File{
				{Name: "train.txt", Triples: 86835,
					Digest: "70fbc1c7881f33bd10c77bb493127fad58e5720f260d39c137fc927ecfb5d7f6"},
				{Name: "valid.txt", Triples: 3034,
					Digest: "0f42971b8aa35b97350a9aec3e2015bdce5d33636ed2d5a5b9ea5b2ea5f36547"},
				{Name: "test.txt", Triples: 3134,
					Digest: "92f29d2ed83e81896b91575792696fb4d79db289789128f4c1ddbb38b1a07350"},
			},
		},
		{
			Name: "umls", Title: "the semantic network of medical terms (UMLS)",
			Home: pykeenHome, base: pykeenFiles + "umls/", Licence: "as distributed with PyKEEN",
			Files: []File{
				{Name: "train.txt", Triples: 5216,
					Digest: "de6801fd5ca13372b5a0f314462fac674346badc292462c58e2f2852c147534f"},
				{Name: "valid.txt", Triples: 652,
					Digest: "64c7771d5b5e2b5d76eaf93c758b45130c89cf419c5b963689956209ec213c95"},
				{Name: "test.txt", Triples: 661,
					Digest: "cc119a3289e7f3a4f389b9f9e42d76e36a305f48ae5292315cfd0488083a2e14"},
			},
		},
		{
			Name: "kinships", Title: "kinship terms of the Alyawarra",
			Home: pykeenHome, base: pykeenFiles + "kinships/", Licence: "as distributed with PyKEEN",
			Files: []File{
				{Name: "train.txt", Triples: 8544,
					Digest: "ebbbfcdbc08e6e9c9c4f8a40e4eb60ac25e105d6f65bb7f4c7234cf9c5f4a539"},
				{Name: "valid.txt", Triples: 1068,
					Digest: "e4f7d94a2bc5373e7306edcc42458a99a9ef4218c7cd0137a47db10dd1c2b88b"},
				{Name: "test.txt", Triples: 1074,
					Digest: "1d2f6e45db7d59ef6e92822f73fd4350cb0bfa2f043c3fa054aa05a0b4bdd821"},
			},
		},
		{
			Name: "nations", Title: "relations between 14 countries",
			Home: pykeenHome, base: pykeenFiles + "nations/", Licence: "as distributed with PyKEEN",
			Files: []File{
				{Name: "train.txt", Triples: 1592,
					Digest: "221440ca1f3f182772e0947b882f6ca78014d9defc61d5052f67503b36796e80"},
				{Name: "valid.txt", Triples: 199,
					Digest: "5149131c1c9732f780a1097b99145e2c3f1edbb1051faccc7a90fb1efb574b05"},
				{Name: "test.txt", Triples: 201,
					Digest: "19bde3b6d6f573e1bcc4bd50e52f3954243293a64ec2455a298e9941f71a7002"},
			},
		},
	}
	for i := range sets {
		for j := range sets[i].Files {
			sets[i].Files[j].URL = sets[i].base + sets[i].Files[j].Name
		}
	}
	return sets
}

// Names lists the names of the known sets.
func Names() []string { return namesOf(List()) }

func namesOf(sets []Set) []string {
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	return names
}

// Lookup returns the known set of that name, ignoring case. Its error is an *UnknownError.
func Lookup(name string) (Set, error) { return lookup(name, List()) }

func lookup(name string, sets []Set) (Set, error) {
	for _, s := range sets {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	return Set{}, &UnknownError{Name: name, Nearest: spelling.Nearest(namesOf(sets), name, 1)}
}

// UnknownError is the error for the name of an unknown set.
type UnknownError struct {
	Name    string
	Nearest []string
}

func (e *UnknownError) Error() string {
	msg := fmt.Sprintf("data set %q is unknown", e.Name)
	if len(e.Nearest) > 0 {
		msg += fmt.Sprintf("; nearest: %s", e.Nearest[0])
	}
	return msg + "; known are " + strings.Join(FetchedNames(), ", ")
}
