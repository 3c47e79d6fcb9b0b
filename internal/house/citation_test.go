package house

import (
	"regexp"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestCitation: CITATION.cff has what its format requires, and the version of CHANGELOG.md's first heading.
func TestCitation(t *testing.T) {
	t.Parallel()
	var c struct {
		Format     string `yaml:"cff-version"`
		Message    string `yaml:"message"`
		Title      string `yaml:"title"`
		Version    string `yaml:"version"`
		License    string `yaml:"license"`
		Repository string `yaml:"repository-code"`
		Authors    []struct {
			Name string `yaml:"name"`
		} `yaml:"authors"`
	}
	expect.NoError(t, yaml.Unmarshal([]byte(rootFile(t, "CITATION.cff")), &c))
	if c.Format != "1.2.0" || c.Message == "" || c.Title != "spherelab" || len(c.Authors) != 1 || c.Authors[0].Name == "" ||
		c.License != "MIT" || c.Repository != "https://"+module {
		t.Errorf("%+v", c)
	}
	version := regexp.MustCompile(`(?m)^## \[([0-9.]+)\]`).FindStringSubmatch(rootFile(t, "CHANGELOG.md"))
	if version == nil || version[1] != c.Version {
		t.Errorf("CITATION.cff has version %q, CHANGELOG.md's first heading %q", c.Version, version)
	}
}
