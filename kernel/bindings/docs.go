package bindings

import (
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"sync"
)

// docFiles hold import path -> name -> text as compressed JSON. The generator writes them: the documentation of this
// module's packages changes often, that of the standard library once per release of Go.
//
//go:embed docs_std.json.gz docs_ext.json.gz docs_own.json.gz
var docFiles embed.FS

// withDocs adds the documentation to generated sources. The first request reads the files.
func withDocs(sources []Source) []Source {
	docs := sync.OnceValue(readDocs)
	for i := range sources {
		path := sources[i].Path
		sources[i].Docs = func() map[string]string { return docs()[path] }
	}
	return sources
}

func readDocs() map[string]map[string]string {
	docs := map[string]map[string]string{}
	for _, group := range []string{"std", "ext", "own"} {
		file := "docs_" + group + ".json.gz"
		if err := readDocFile(file, docs); err != nil {
			panic(fmt.Errorf("%s: %w", file, err)) // it is embedded
		}
	}
	return docs
}

func readDocFile(file string, docs map[string]map[string]string) error {
	packed, err := docFiles.Open(file)
	if err != nil {
		return err
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	return json.NewDecoder(r).Decode(&docs)
}
