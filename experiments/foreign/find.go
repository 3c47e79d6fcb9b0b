package foreign

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spherelab/spherelab/internal/filekind"
)

// find returns the file of a folder that has the model.
func find(folder string) (string, error) {
	for _, name := range []string{pykeenModel, libkgeBest, "model.safetensors", "model.npz"} {
		if path := filepath.Join(folder, name); filekind.IsFile(path) {
			return path, nil
		}
	}
	for _, ending := range []string{"*.pt", "*.ckpt"} {
		all, err := filepath.Glob(filepath.Join(escaped(folder), ending))
		if err != nil {
			return "", err
		}
		if len(all) == 1 {
			return all[0], nil
		}
		if len(all) > 1 {
			for i := range all {
				all[i] = filepath.Base(all[i])
			}
			return "", fmt.Errorf("%s has %d files %s; name one of them: %s", folder, len(all), ending, strings.Join(all, ", "))
		}
	}
	if path := filepath.Join(folder, dglkeFile); filekind.IsFile(path) {
		return path, nil
	}
	return folder, nil
}

// escaped is a path in a pattern of filepath.Glob.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
