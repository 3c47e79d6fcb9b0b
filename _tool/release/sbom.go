package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// component is a part of the program, as CycloneDX 1.5 describes it.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// parts lists the modules that are linked into a program, as `go version -m` does.
func (r release) parts(program string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	module := func(path, version, sum string) component {
		c := component{Type: "library", Name: path, Version: version, PURL: "pkg:golang/" + strings.ToLower(path) + "@" + url.PathEscape(version)}
		if sum != "" {
			c.Properties = []property{{"go:sum", sum}}
		}
		c.Ref = c.PURL
		return c
	}
	own := module(info.Main.Path, "v"+r.version, "")
	own.Type = "application"
	if r.commit != "" {
		own.Properties = []property{{"vcs:revision", r.commit}}
	}
	components := []component{{Type: "library", Ref: "go", Name: "Go standard library", Version: info.GoVersion,
		PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("go.mod replaces %s by %s, which a release cannot name; remove the replace line", m.Path, m.Replace.Path)
		}
		components = append(components, module(m.Path, m.Version, m.Sum))
	}
	refs := make([]string, len(components))
	for i, c := range components {
		refs[i] = c.Ref
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	err = e.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":     map[string]any{"timestamp": r.time.Format(time.RFC3339), "component": own},
		"components":   components,
		"dependencies": []any{map[string]any{"ref": own.Ref, "dependsOn": refs}},
	})
	return b.Bytes(), err
}
