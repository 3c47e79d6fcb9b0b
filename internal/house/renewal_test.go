package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/internal/expect"
)

// The bot that renews dependencies knows every module of the repository, the images and Python's pins.
func TestRenewal(t *testing.T) {
	t.Parallel()
	var config struct {
		Version int
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directory   string
			Directories []string
			Schedule    struct{ Interval string }
			Groups      map[string]struct{ Patterns []string }
			Ignore      []struct {
				Name  string   `yaml:"dependency-name"`
				Types []string `yaml:"update-types"`
			}
		}
	}
	source := expect.Must[[]byte](t)(os.ReadFile(inRoot(".github/dependabot.yml")))
	expect.NoError(t, yaml.UnmarshalWithOptions(source, &config, yaml.Strict()))
	known := map[string][]string{}
	for _, u := range config.Updates {
		folders := append(u.Directories, u.Directory)
		known[u.Ecosystem] = slices.DeleteFunc(folders, func(folder string) bool { return folder == "" })
		if u.Schedule.Interval == "" {
			t.Errorf("%s has no schedule", u.Ecosystem)
		}
	}
	var modules []string
	root := inRoot(".")
	expect.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if d.Name() == "go.mod" {
			folder := expect.Must[string](t)(filepath.Rel(root, filepath.Dir(path)))
			modules = append(modules, filepath.Join("/", folder))
		}
		return nil
	}))
	slices.Sort(modules)
	slices.Sort(known["gomod"])
	if !slices.Equal(modules, known["gomod"]) {
		t.Errorf("modules %v, the bot knows %v", modules, known["gomod"])
	}
	for ecosystem, file := range map[string]string{"docker": "Dockerfile", "docker-compose": "docker-compose.yml",
		"pip": "requirements.txt"} {
		if len(known[ecosystem]) != 1 {
			t.Errorf("%s: folders %v", ecosystem, known[ecosystem])
			continue
		}
		if _, err := os.Stat(inRoot("." + filepath.Join(known[ecosystem][0], file))); err != nil {
			t.Errorf("%s: %v", ecosystem, err)
		}
	}
}
