package house

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/spherelab/spherelab/internal/expect"
)

// manifest is what docs/kubernetes.yaml has of a deployment's pod.
type manifest struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Args         []string `yaml:"args"`
					VolumeMounts []struct {
						Name string `yaml:"name"`
					} `yaml:"volumeMounts"`
				} `yaml:"containers"`
				Volumes []struct {
					Name  string `yaml:"name"`
					Claim struct {
						Name string `yaml:"claimName"`
					} `yaml:"persistentVolumeClaim"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

// TestKubernetes: the manifest has a claim and a deployment of workers that uses it, and every mount has its volume.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(inRoot("docs/kubernetes.yaml"))
	expect.NoError(t, err)
	claims, volumes, workers := map[string]bool{}, map[string]bool{}, 0
	for decode := yaml.NewDecoder(bytes.NewReader(source)); ; {
		var m manifest
		err := decode.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		expect.NoError(t, err)
		if m.Kind == "PersistentVolumeClaim" {
			claims[m.Metadata.Name] = true
		}
		pod := m.Spec.Template.Spec
		for _, v := range pod.Volumes {
			volumes[v.Name] = true
			if v.Claim.Name != "" && !claims[v.Claim.Name] {
				t.Errorf("volume %s names the claim %s, which is not above", v.Name, v.Claim.Name)
			}
		}
		for _, c := range pod.Containers {
			if strings.HasPrefix(strings.Join(c.Args, " "), "worker ") {
				workers++
			}
			for _, mount := range c.VolumeMounts {
				if !volumes[mount.Name] {
					t.Errorf("the mount %s has no volume", mount.Name)
				}
			}
		}
	}
	if workers != 1 || len(claims) != 1 {
		t.Errorf("the manifest has %d containers of workers and %d claims", workers, len(claims))
	}
}
