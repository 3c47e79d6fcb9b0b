package sphere

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/spherelab/spherelab/internal/expect"
)

func savedModel(t *testing.T, c testCase) (*Model, string) {
	t.Helper()
	g := smallGraph(t, 7, 90, 5, 600)
	trainer := newTestTrainer(t, c, g, 21, smallTraining(2))
	run(t, trainer)
	path := filepath.Join(t.TempDir(), "model.safetensors")
	expect.NoError(t, trainer.Model().Save(path, map[string]string{"note": "of the caller"}))
	return trainer.Model(), path
}

func TestCheckpointRoundTrip(t *testing.T) {
	t.Parallel()
	for _, c := range everyModel() {
		m, path := savedModel(t, c)
		loaded, metadata, err := Load(path)
		expect.NoError(t, err)
		if loaded.Digest() != m.Digest() || metadata["checkpoint_digest"] != m.Digest() ||
			metadata["note"] != "of the caller" {
			t.Errorf("%s: digest or metadata changed: %v", c, metadata)
		}
		if loaded.Settings() != m.Settings() {
			t.Errorf("%s: settings %+v, saved %+v", c, loaded.Settings(), m.Settings())
		}
		for i := range m.turn {
			if m.turn[i] != loaded.turn[i] {
				t.Fatalf("%s: prepared relations differ", c)
			}
		}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		if err != nil || len(files) != 1 {
			t.Errorf("left next to the checkpoint: %v, %v", files, err)
		}
	}
}

// TestDamagedCheckpoints changes bytes and lengths of a checkpoint. Load must refuse each change.
func TestDamagedCheckpoints(t *testing.T) {
	t.Parallel()
	_, path := savedModel(t, testCase{SpherE2D, Clean})
	good, err := os.ReadFile(path)
	expect.NoError(t, err)
	damage := map[string]func([]byte) []byte{
		"empty":           func([]byte) []byte { return nil },
		"a text":          func([]byte) []byte { return []byte("this is not a checkpoint, but a text of some length") },
		"cut in header":   func(b []byte) []byte { return b[:20] },
		"cut in tensors":  func(b []byte) []byte { return b[:len(b)-100] },
		"a float changed": func(b []byte) []byte { b[len(b)-3] ^= 0x10; return b },
		"header too long": func(b []byte) []byte { b[6] = 0xff; return b },
		"more entities": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"entities":"90"`), []byte(`"entities":"99"`), 1)
		},
		"a setting changed": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`\"Gamma\":2`), []byte(`\"Gamma\":3`), 1)
		},
		"another numerics version": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"numerics_version":"1"`), []byte(`"numerics_version":"0"`), 1)
		},
		"the caller's metadata changed": func(b []byte) []byte {
			return bytes.Replace(b, []byte("of the caller"), []byte("of the castle"), 1)
		},
		"a shape that overflows": func(b []byte) []byte {
			b = bytes.Replace(b, []byte(`"entities":"90"`), []byte(`"entities":"140737488355328"`), 1)
			b = bytes.Replace(b, []byte(`\"Dimension\":21`), []byte(`\"Dimension\":65536`), 1)
			return bytes.Replace(b, []byte(`[90,21,2]`), []byte(`[140737488355328,65536,2]`), 1)
		},
		"bytes at the end": func(b []byte) []byte { return append(b, 0, 0, 0, 0) },
		"an offset below 0": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"data_offsets":[0,`), []byte(`"data_offsets":[-4,`), 1)
		},
		"a swapped shape": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`[90,21,2]`), []byte(`[90,2,21]`),
				1)
		},
		"no entities": func(b []byte) []byte {
			b = bytes.Replace(b, []byte(`"entities":"90"`), []byte(`"entities":"0"`), 1)
			b = bytes.Replace(b, []byte(`"shape":[90]`), []byte(`"shape":[0]`), 1)
			return bytes.Replace(b, []byte(`[90,21,2]`), []byte(`[0,21,2]`), 1)
		},
		"another type": func(b []byte) []byte { return bytes.Replace(b, []byte(`"F32"`), []byte(`"I32"`), 1) },
		"renamed a tensor": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"entity.radius"`), []byte(`"entity.radios"`), 1)
		},
	}
	for name, change := range damage {
		bad := filepath.Join(t.TempDir(), "bad.safetensors")
		content := change(bytes.Clone(good))
		if bytes.Equal(content, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		// Longer or shorter text in the header must not hide behind a wrong header length.
		if grown := len(content) - len(good); grown != 0 && name != "empty" && len(content) > 200 &&
			name != "cut in tensors" && name != "bytes at the end" {
			binary.LittleEndian.PutUint64(content, binary.LittleEndian.Uint64(content)+uint64(grown))
		}
		expect.NoError(t, os.WriteFile(bad, content, 0o644))
		_, _, err := Load(bad)
		var e *CheckpointError
		if !errors.As(err, &e) || e.Path != bad {
			t.Errorf("%s: error %v, want a CheckpointError", name, err)
		}
	}
	nameless := filepath.Join(t.TempDir(), "nameless.safetensors")
	expect.NoError(t, os.WriteFile(nameless, bytes.Replace(good, []byte(`"file_digest"`), []byte(`"file_dogest"`), 1),
		0o644))
	if _, _, err := Load(nameless); err == nil || !strings.Contains(err.Error(), "has no file_digest") {
		t.Errorf("without a digest of the file: %v", err)
	}
	if _, _, err := Load(path + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// FuzzLoad checks that no file makes Load panic or allocate more than its padded floats need, and that a loaded model
// has the digest that its file claims.
func FuzzLoad(f *testing.F) {
	g := smallGraph(f, 3, 4, 1, 6)
	for _, kind := range registry {
		m, err := New(publishedSettings(kind.name, kind.variants[0], 1), g, 1)
		expect.NoError(f, err)
		path := filepath.Join(f.TempDir(), "seed.safetensors")
		expect.NoError(f, m.Save(path, nil))
		seed, err := os.ReadFile(path)
		expect.NoError(f, err)
		f.Add(seed)
		f.Add(seed[:len(seed)/2])
		f.Add(bytes.Replace(seed, []byte("[4,"), []byte("[-4,"), 1))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "fuzzed.safetensors")
		expect.NoError(t, os.WriteFile(path, content, 0o644))
		m, metadata, err := Load(path)
		if err != nil {
			return
		}
		if m.Digest() != metadata[digestKey] {
			t.Errorf("loaded a model of digest %s that claims %s", m.Digest(), metadata[digestKey])
		}
	})
}

func TestSaveIntoMissingFolder(t *testing.T) {
	t.Parallel()
	m, path := savedModel(t, testCase{RotatE, Clean})
	if err := m.Save(filepath.Join(filepath.Dir(path), "none", "model.safetensors"), nil); err == nil {
		t.Error("saving into a missing folder succeeded")
	}
	if err := m.Save(path, map[string]string{"settings": "mine"}); err == nil {
		t.Error("metadata under an own key was accepted")
	}
}

// TestCheckpointSaysWhatTensorsMean holds the words in the metadata to the shapes of the file and to the prepared
// angles.
func TestCheckpointSaysWhatTensorsMean(t *testing.T) {
	t.Parallel()
	for _, c := range everyModel() {
		m, path := savedModel(t, c)
		_, metadata, err := Load(path)
		expect.NoError(t, err)
		for _, part := range m.tensors() {
			text := metadata[aboutKey+part.name]
			if n := strings.Count(strings.SplitAfter(text, "]")[0], ","); text == "" || n != len(part.shape)-1 {
				t.Errorf("%v: %s of shape %v is said to be %q", c, part.name, part.shape, text)
			}
			if n := part.shape[len(part.shape)-1]; len(part.shape) == 3 &&
				!strings.Contains(text, fmt.Sprintf(", %d]", n)) {
				t.Errorf("%v: %s of shape %v is said to be %q", c, part.name, part.shape, text)
			}
		}
		if _, ok := m.rotation.(worded); ok || c.coordinates() > 3 {
			continue // its relations have no angles
		}
		_, number, _ := strings.Cut(metadata[aboutKey+phaseName], "radians = raw * ")
		radians, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		var scale float64
		switch r := m.rotation.(type) {
		case *rotation2D:
			scale = r.scale
		case *rotation3D:
			scale = r.scale
		}
		if math.Abs(radians/scale-1) > 1e-12 {
			t.Errorf("%v: a raw angle is said to be %v radians, it is %v", c, radians, scale)
		}
	}
}

// TestPythonOpensCheckpoint reads a checkpoint with Python's safetensors package and compares shapes and values.
func TestPythonOpensCheckpoint(t *testing.T) {
	t.Parallel()
	python := os.Getenv("SPHERELAB_PYTHON")
	if python == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("SPHERELAB_PYTHON is not set: run this by make test")
		}
		t.Skip("SPHERELAB_PYTHON is not set: run make test, which makes a Python environment with safetensors")
	}
	m, path := savedModel(t, testCase{SpherE2D, Released})
	const script = `
import sys
from safetensors.numpy import load_file
from safetensors import safe_open
t = load_file(sys.argv[1])
for k in sorted(t): print(k, list(t[k].shape), t[k].dtype, float(t[k].ravel()[-1]).hex())
print(safe_open(sys.argv[1], "numpy").metadata()["checkpoint_digest"])
`
	out, err := exec.Command(python, "-c", script, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	last := m.Center(89)
	for _, want := range []string{
		"entity.center [90, 21, 2] float32 " + hexFloat(last[len(last)-1]),
		"entity.radius [90] float32 " + hexFloat(m.radius[89]),
		"relation.phase [5, 21] float32 " + hexFloat(m.rawRow(4)[20]),
		m.Digest(),
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("Python does not print %q:\n%s", want, out)
		}
	}
}

// hexFloat formats x like Python's float.hex.
func hexFloat(x float32) string {
	s := strconv.FormatFloat(float64(x), 'x', 13, 64)
	mantissa, exponent, _ := strings.Cut(s, "p")
	power, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%sp%+d", mantissa, power)
}

// TestOrderOfTensors compares written tensors with the order that the type documents, and reads them back from a slow
// reader: no row, radii, rows in many chunks, rows longer than a chunk, with and without padding.
func TestOrderOfTensors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, blocks, planes, padding int }{
		{0, 5, 2, 11}, {1, 1, 1, 0}, {16385, 1, 1, 0}, {40000, 1, 1, 0}, {3, 16, 2, 0}, {391, 21, 2, 11},
		{783, 21, 2, 11},
		{2, 8192, 2, 0}, {2, 8193, 2, 15}, {5, 5462, 3, 10}, {3, 4096, 4, 0}, {9, 1500, 3, 4},
	} {
		plane := c.blocks + c.padding
		written := tensor{name: "x", rows: c.rows, blocks: c.blocks, planes: c.planes, stride: c.planes * plane,
			plane: plane, data: make([]float32, c.rows*c.planes*plane)}
		for i := range written.data { // any bits, NaN with a payload among them
			written.data[i] = math.Float32frombits(uint32(i)*2654435761 + 0x7f800001)
		}
		var file bytes.Buffer
		expect.NoError(t, written.encode(&file))
		if file.Len() != 4*written.size() {
			t.Fatalf("%+v: %d bytes, want %d", c, file.Len(), 4*written.size())
		}
		for i := range written.size() {
			row, b, p := i/(c.blocks*c.planes), i/c.planes%c.blocks, i%c.planes
			want := math.Float32bits(written.data[row*written.stride+p*plane+b])
			if got := binary.LittleEndian.Uint32(file.Bytes()[4*i:]); got != want {
				t.Fatalf("%+v: float %d is %x, want %x", c, i, got, want)
			}
		}

		read := written
		read.data = make([]float32, len(written.data))
		const untouched = 7
		for i := range read.data {
			read.data[i] = untouched
		}
		expect.NoError(t, read.decode(iotest.HalfReader(bytes.NewReader(file.Bytes()))))
		for i, x := range read.data {
			want := written.data[i]
			if i%plane >= c.blocks {
				want = untouched
			}
			if math.Float32bits(x) != math.Float32bits(want) {
				t.Fatalf("%+v: float %d in memory is %x, want %x", c, i, math.Float32bits(x), math.Float32bits(want))
			}
		}
		for _, short := range []int{1, 4, 4 * c.blocks * c.planes} {
			if short > file.Len() {
				continue
			}
			if err := read.decode(bytes.NewReader(file.Bytes()[:file.Len()-short])); !errors.Is(err,
				io.ErrUnexpectedEOF) {
				t.Errorf("%+v, %d bytes short: %v", c, short, err)
			}
		}
	}
}

// TestShapesOfTensors checks that the header describes what is written.
func TestShapesOfTensors(t *testing.T) {
	t.Parallel()
	for _, c := range everyModel() {
		m, _ := savedModel(t, c)
		for _, part := range m.tensors() {
			product := 1
			for _, n := range part.shape {
				product *= n
			}
			if product != part.size() || part.shape[0] != part.rows {
				t.Errorf("%s: %s of shape %v has %d rows and %d floats", c, part.name, part.shape, part.rows,
					part.size())
			}
		}
	}
}

// TestSaveRefusesWhatIsNotFinite puts NaN and infinities into every tensor of the model, and NaN into what is prepared
// from the phases.
func TestSaveRefusesWhatIsNotFinite(t *testing.T) {
	t.Parallel()
	trainer := newTestTrainer(t, testCase{SpherE2D, Released}, smallGraph(t, 7, 90, 5, 600), 8, smallTraining(1))
	run(t, trainer)
	m := trainer.model
	path := filepath.Join(t.TempDir(), "state.safetensors")
	for name, values := range map[string][]float32{
		"entity.center": m.center, "entity.radius": m.radius, "relation.phase": m.phase,
	} {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			good := values[1]
			values[1] = bad
			err := trainer.Save(path)
			e, ok := errors.AsType[*NotFiniteError](err)
			if !ok || e.Epoch != 1 || e.Tensor != name {
				t.Errorf("%g in %s: error %v", bad, name, err)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%g in %s: a file was written, %v", bad, name, err)
			}
			values[1] = good
		}
	}
	m.turn[0] = float32(math.NaN())
	if e, ok := errors.AsType[*NotFiniteError](trainer.Save(path)); !ok || e.Tensor != "relation.phase" {
		t.Errorf("NaN prepared from a phase: %v", e)
	}
	m.prepareAll()
	if err := trainer.Save(path); err != nil {
		t.Error(err)
	}
}
