// Command generate writes the tables by which cells reach compiled packages.
//
//	go run ./generate      all of package bindings, from its folder (what `go generate` does)
//	go run github.com/spherelab/spherelab/kernel/bindings/generate -package main -o zoo_binding.go example.com/zoo
//
// The second form writes one package's table for a kernel of your own; see docs/kernel.md.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
)

func main() {
	out := flag.String("o", "", "file to write, for packages named as arguments; default: <package>_binding.go")
	name := flag.String("package", "main", "package of the written file")
	renew := flag.Bool("renew", false,
		"write the standard library's tables even if they are those of another Go release")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(),
			"usage: generate [-renew]\n       generate [-package NAME] [-o FILE] IMPORT_PATH\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	var err error
	switch flag.NArg() {
	case 0:
		err = writeAll(*renew)
	case 1:
		err = writeForeign(flag.Arg(0), *name, *out)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// writeAll writes the files of package bindings into the working folder and removes those of packages no longer listed.
func writeAll(renew bool) error {
	std := standard
	have := writtenRelease()
	if have != "" && have != release() && !renew {
		// Another release has other declarations and comments. A contributor with that release should not commit them.
		const text = "generate: the standard library's tables are those of %s, this is %s: they stay (-renew writes them)\n"
		fmt.Fprintf(os.Stderr, text, have, release())
		std = nil
	}
	paths := append(append(append([]string(nil), own...), foreign...), std...)
	loaded, err := load(paths)
	if err != nil {
		return err
	}
	want := map[string]bool{}
	var variables []string
	docs := map[string]packageDocs{}
	for _, p := range loaded {
		code, texts, err := source(p, "bindings")
		if err != nil {
			return err
		}
		file := fileName(p.path)
		want[file] = true
		if err := writeFile(file, code); err != nil {
			return err
		}
		variables = append(variables, variableName(p.path))
		if docs[groupOf(p.path)] == nil {
			docs[groupOf(p.path)] = packageDocs{}
		}
		docs[groupOf(p.path)][p.path] = texts
	}
	if std != nil {
		if docs["std"], err = addGeneric(docs["std"]); err != nil {
			return err
		}
	}
	for group, d := range docs {
		if err := writeDocs("docs_"+group+".json.gz", d); err != nil {
			return err
		}
	}
	if err := writeExports(loaded); err != nil {
		return err
	}
	if std == nil {
		kept, err := filepath.Glob("std_*.go")
		if err != nil {
			return err
		}
		for _, file := range kept {
			want[file] = true
		}
		for _, path := range standard {
			if !want[fileName(path)] {
				return fmt.Errorf("%s has no table yet, and the others are those of %s: use that release, or -renew",
					path, have)
			}
			variables = append(variables, variableName(path))
		}
	}
	sort.Strings(variables)
	var list bytes.Buffer
	fmt.Fprintf(&list, "%s\n\npackage bindings\n\nvar generated = []Source{\n", header)
	for _, v := range variables {
		fmt.Fprintf(&list, "\t%s,\n", v)
	}
	list.WriteString("}\n")
	want["generated.go"] = true
	if err := writeFile("generated.go", list.Bytes()); err != nil {
		return err
	}
	return removeOthers(want)
}

// removeOthers deletes generated files that are not wanted.
func removeOthers(want map[string]bool) error {
	files, err := filepath.Glob("*.go")
	if err != nil {
		return err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !want[file] && bytes.HasPrefix(content, []byte(header)) {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeForeign(path, name, out string) error {
	loaded, err := load([]string{path})
	if err != nil {
		return err
	}
	if len(loaded) != 1 {
		return fmt.Errorf("%s names %d packages; give the import path of one", path, len(loaded))
	}
	code, _, err := source(loaded[0], name)
	if err != nil {
		return err
	}
	if out == "" {
		out = loaded[0].types.Name() + "_binding.go"
	}
	return writeFile(out, code)
}

// writeFile does not touch a file that has the content already, so that builds keep their cache.
func writeFile(file string, content []byte) error {
	if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, content) {
		return nil
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

var goRelease = regexp.MustCompile(`go1\.\d+(\.\d+)?`)

// release is the Go release that this program was built with.
func release() string { return goRelease.FindString(runtime.Version()) }

// writtenRelease is the Go release of the standard library's tables in the working folder.
func writtenRelease() string {
	content, err := os.ReadFile("std_strings_binding.go")
	if err != nil {
		return ""
	}
	head, _, _ := strings.Cut(string(content), "\npackage ")
	return goRelease.FindString(head)
}

const header = "// Code generated by kernel/bindings/generate. DO NOT EDIT."

// fileName is where a package's table goes. The ending keeps names like os_unix.go or fstest_test.go from meaning
// something to the compiler.
func fileName(path string) string {
	return groupOf(path) + "_" + strings.ToLower(identifier(strings.TrimPrefix(path, module+"/"))) + "_binding.go"
}

// variableName is the name of a package's source.
func variableName(path string) string {
	return groupOf(path) + "_" + identifier(strings.TrimPrefix(path, module+"/"))
}

// groupOf says where a package comes from: this module, the standard library or another module.
func groupOf(path string) string {
	switch {
	case strings.HasPrefix(path, module+"/"):
		return "own"
	case isStandard(path):
		return "std"
	}
	return "ext"
}

var notIdentifier = regexp.MustCompile(`[^A-Za-z0-9]+`)

func identifier(path string) string { return notIdentifier.ReplaceAllString(path, "_") }

// isStandard: paths of the standard library have no dot in their first element.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
