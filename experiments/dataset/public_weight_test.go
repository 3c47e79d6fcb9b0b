package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/spherE"
)

// TestGetCheckpoint fetches a file that has no lines: it is compared byte by byte, in its order.
func TestGetCheckpoint(t *testing.T) {
	t.Parallel()
	content := []byte("PK\nweights\nb\na")
	sum := sha256.Sum256(content)
	set := Set{Name: "made-up", Files: []File{{Name: "net.pth", Bytes: int64(len(content)),
		Digest: hex.EncodeToString(sum[:])}}}
	h := newHome(t, map[string][]byte{"net.pth": content}, nil)
	dir := t.TempDir()
	folder, err := get(context.Background(), set, dir, h.options())
	expect.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(folder, "net.pth"))
	if err != nil || string(got) != string(content) {
		t.Fatalf("%q, %v", got, err)
	}
	for _, wrong := range []string{"PK\nweights\na\nb", "PK\nweights\nb", "PK\nweights\nb\na\n"} {
		h := newHome(t, map[string][]byte{"net.pth": []byte(wrong)}, nil)
		_, err := get(context.Background(), set, t.TempDir(), h.options())
		if damaged := (*DigestError)(nil); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "SHA-256") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestCheckpointsAreModels: every inductive model has weights, and users are told where they come from.
func TestCheckpointsAreModels(t *testing.T) {
	t.Parallel()
	names := append([]string{sphere.OwnInductive}, namesOf(Checkpoints())...)
	if !slices.Equal(names, sphere.Inductive()) {
		t.Errorf("weights %q, models %q", names, sphere.Inductive())
	}
	for _, set := range Checkpoints() {
		origin := set.Origin()
		for _, part := range []string{set.Home, "MIT", "trained on"} {
			if !strings.Contains(origin, part) {
				t.Errorf("%q does not say %q", origin, part)
			}
		}
		if len(set.Files) != 1 || !strings.HasPrefix(set.Files[0].URL, ultraFiles) || set.Files[0].Bytes == 0 ||
			len(set.Files[0].Digest) != 64 || len(set.Training) == 0 {
			t.Errorf("%+v", set)
		}
	}
}

// TestFindCheckpoint finds weights in the folder that Get makes and in that of their home, and refuses other content.
func TestFindCheckpoint(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	_, err := FindCheckpoint("ultra-3g", empty)
	if missing := (*CheckpointError)(nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), empty) ||
		!slices.Contains(hint.Of(err), hint.Hint{Action: hint.FetchGraph, Subject: "ultra-3g"}) {
		t.Errorf("missing: %v", err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "ultra-3g", "ultra_3g.pth")
	expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.NoError(t, os.WriteFile(path, []byte("other"), 0o600))
	if _, err := FindCheckpoint("ultra-3g", dir); err == nil || !strings.Contains(err.Error(), "has other content") {
		t.Errorf("other content: %v", err)
	}
	if _, err := FindCheckpoint("ultra-7g", dir); err == nil || !strings.Contains(err.Error(), "ultra-3g") {
		t.Errorf("unknown: %v", err)
	}
	for _, name := range namesOf(Checkpoints()) {
		file := graphtest.File(t, "ultra/"+strings.ReplaceAll(name, "-", "_")+".pth")
		found, err := FindCheckpoint(name, empty, filepath.Dir(filepath.Dir(file)))
		if err != nil || found != file {
			t.Errorf("%s: found %q, %v", name, found, err)
		}
	}
}
