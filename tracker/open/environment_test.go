package open

import (
	"strings"
	"testing"
)

// TestHomeOfEachSystem: what is named wins, then the folder of the system; each system has its own variable.
func TestHomeOfEachSystem(t *testing.T) {
	t.Parallel()
	all := map[string]string{"HOME": "/home/ann", "LOCALAPPDATA": "/local"}
	for _, c := range []struct {
		system, dir, want string
		set               map[string]string
	}{
		{"linux", "", "/home/ann/.local/share/spherelab", all},
		{"darwin", "", "/home/ann/Library/Application Support/spherelab", all},
		{"windows", "", "/local/spherelab", all},
		{"windows", "", "neither LOCALAPPDATA nor SPHERELAB_HOME", map[string]string{"HOME": "/home/ann"}},
		{"linux", "", "neither HOME nor SPHERELAB_HOME", map[string]string{"LOCALAPPDATA": "/local"}},
		{"linux", "", "/data/spherelab", map[string]string{"XDG_DATA_HOME": "/data", "HOME": "/home/ann"}},
		{"linux", "", "/home/ann/.local/share/spherelab", map[string]string{"XDG_DATA_HOME": "data", "HOME": "/home/ann"}},
		{"windows", "", "/mine", map[string]string{"SPHERELAB_HOME": "/mine", "LOCALAPPDATA": "/local"}},
		{"darwin", "/given", "/given", map[string]string{"SPHERELAB_HOME": "/mine"}},
	} {
		got, err := homeOn(c.system, c.dir, func(name string) string { return c.set[name] })
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s %v: %s, want %s", c.system, c.set, got, c.want)
		}
	}
}
