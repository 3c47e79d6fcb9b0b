package inductive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
)

// tensorsOf reads the tensors of a PyTorch archive.
func tensorsOf(t testing.TB, file string) map[string]Tensor {
	t.Helper()
	content, err := os.ReadFile(file)
	expect.NoError(t, err)
	tensors, err := readArchive(bytes.NewReader(content), int64(len(content)))
	expect.NoError(t, err)
	return tensors
}

// pickled is a pickle of a dictionary of tensors as PyTorch writes it. Storages are numbered in the order of names.
func pickled(tensors map[string]Tensor) []byte {
	var b bytes.Buffer
	text := func(s string) {
		b.WriteByte('X')
		_ = binary.Write(&b, binary.LittleEndian, uint32(len(s)))
		b.WriteString(s)
	}
	number := func(n int) {
		b.WriteByte('J')
		_ = binary.Write(&b, binary.LittleEndian, int32(n))
	}
	tuple := func(list []int) {
		b.WriteByte('(')
		for _, n := range list {
			number(n)
		}
		b.WriteByte('t')
	}
	b.WriteString("\x80\x02}q\x00")
	text("model")
	b.WriteString("ccollections\nOrderedDict\n)R(")
	for i, name := range slices.Sorted(maps.Keys(tensors)) {
		t := tensors[name]
		text(name)
		b.WriteString("ctorch._utils\n_rebuild_tensor_v2\n((")
		text("storage")
		b.WriteString("ctorch\nFloatStorage\n")
		text(fmt.Sprint(i))
		text("cpu")
		number(len(t.Data))
		b.WriteString("tQK\x00")
		strides := make([]int, len(t.Shape))
		for step, k := 1, len(strides)-1; k >= 0; k-- {
			strides[k] = step
			step *= t.Shape[k]
		}
		tuple(t.Shape)
		tuple(strides)
		b.WriteString("\x89ccollections\nOrderedDict\n)RtR")
	}
	b.WriteString("us.")
	return b.Bytes()
}

// archived is a PyTorch archive with the given pickle.
func archived(t testing.TB, pickle []byte, tensors map[string]Tensor, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, content []byte) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "net/" + name, Method: method})
		expect.NoError(t, err)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	add("data.pkl", pickle)
	add("byteorder", []byte("little"))
	for i, name := range slices.Sorted(maps.Keys(tensors)) {
		add(fmt.Sprintf("data/%d", i), floatBytesOf(tensors[name].Data))
	}
	expect.NoError(t, z.Close())
	return b.Bytes()
}

func floatBytesOf(x []float32) (content []byte) {
	for _, f := range x {
		content = binary.LittleEndian.AppendUint32(content, math.Float32bits(f))
	}
	return content
}

// asSafetensors is a safetensors file.
func asSafetensors(t testing.TB, tensors map[string]Tensor) []byte {
	t.Helper()
	header, data := map[string]any{}, []byte(nil)
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		from := len(data)
		data = append(data, floatBytesOf(tensors[name].Data)...)
		header[name] = map[string]any{"dtype": "F32", "shape": tensors[name].Shape, "data_offsets": [2]int{from, len(data)}}
	}
	text, err := json.Marshal(header)
	expect.NoError(t, err)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...)
}

func openBytes(t testing.TB, content []byte) (*Network, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "net.pth")
	expect.NoError(t, os.WriteFile(file, content, 0o600))
	return Open(file)
}

// TestOpen reads the same network from an archive of PyTorch and from a safetensors file.
func TestOpen(t *testing.T) {
	t.Parallel()
	tensors := randomTensors(43, 16, 2, 1)
	want := networkOf(t, tensors)
	floats := 0
	for _, x := range tensors {
		floats += len(x.Data)
	}
	if want.Parameters() != floats {
		t.Errorf("%d parameters, want %d", want.Parameters(), floats)
	}
	inner := map[string]Tensor{}
	for name, x := range tensors {
		inner["model.model."+name] = x
	}
	for name, content := range map[string][]byte{
		"archive": archived(t, pickled(tensors), tensors, zip.Store), "safetensors": asSafetensors(t, tensors),
		"part of another model": archived(t, pickled(inner), inner, zip.Store),
	} {
		n, err := openBytes(t, content)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if n.Digest() != want.Digest() {
			t.Errorf("%s: digest %s, want %s", name, n.Digest(), want.Digest())
		}
	}
	tensors["entity_model.mlp.2.bias"].Data[0]++
	if networkOf(t, tensors).Digest() == want.Digest() {
		t.Error("another bias has the same digest")
	}
}

// TestOpenRefuses opens damaged and malicious checkpoints.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const bias = "entity_model.layers.0.linear.bias"
	tensors := func(change func(map[string]Tensor)) map[string]Tensor {
		all := randomTensors(47, 16, 1, 1)
		change(all)
		return all
	}
	same := tensors(func(map[string]Tensor) {})
	whole := archived(t, pickled(same), same, zip.Store)
	pickle := func(program string) []byte { return archived(t, []byte(program), same, zip.Store) }
	changed := func(from, to string) []byte {
		program := pickled(same)
		if !bytes.Contains(program, []byte(from)) {
			t.Fatalf("%q is not in the pickle", from)
		}
		return archived(t, bytes.Replace(program, []byte(from), []byte(to), 1), same, zip.Store)
	}
	of := func(change func(map[string]Tensor)) []byte {
		all := tensors(change)
		return archived(t, pickled(all), all, zip.Store)
	}
	for _, c := range []struct {
		name    string
		content []byte
		words   string
	}{
		{"empty", nil, "cut short"},
		{"text", []byte("head,relation,tail\n"), "not a complete safetensors file"},
		{"cut", whole[:len(whole)/2], "not a complete zip archive"},
		{"compressed", archived(t, pickled(same), same, zip.Deflate), "is compressed"},
		{"no pickle", archived(t, nil, same, zip.Store), "cut short"},
		{"system", pickle("cos\nsystem\n(X\x04\x00\x00\x00trueetR."), `names "os system": only`},
		{"builtin", pickle("\x80\x02cbuiltins\neval\n."), `names "builtins eval"`},
		{"stacked name", pickle("\x8c\x02os\x8c\x06system\x93."), "0x93 at byte 12 is not one that tensors need"},
		{"object", pickle("(ios\nsystem\n."), "0x69 at byte 1 is not one"},
		{"new object", pickle("ccollections\nOrderedDict\n)\x81."), "0x81 at byte 26 is not one"},
		{"called storage", pickle("ctorch\nFloatStorage\n)R."), "calls what is not allowed"},
		{"built name", pickle("ccollections\nOrderedDict\n}b."), "changes what is not a dictionary"},
		{"double", changed("FloatStorage", "DoubleStorage"), `names "torch DoubleStorage"`},
		{"underflow", pickle("R."), "takes more values"},
		{"no mark", pickle("t."), "takes more values"},
		{"no place", pickle("h\x05."), "reads place 5"},
		{"huge text", pickle("X\xff\xff\xff\xffab."), "a text of 4294967295 bytes"},
		{"number", pickle("K\x05."), "no dictionary of tensors"},
		{"no tensor", pickle("}X\x01\x00\x00\x00aK\x05s."), `has "a" in place of a tensor`},
		{"two values", pickle("NN."), "ends with 2 values"},
		{"protocol", pickle("\x80\x09."), "protocol 9"},
		{"storage", changed("X\x07\x00\x00\x00storage", "X\x07\x00\x00\x00storagf"), "not a storage of float32"},
		{"huge shape", changed("(J\x10\x00\x00\x00t", "(J\xff\xff\xff\x7ft"), "from a storage of 16 floats"},
		{"negative shape", changed("(J\x10\x00\x00\x00t", "(J\xff\xff\xff\xfft"), "from a storage of 16 floats"},
		{"strides", changed("J\x01\x00\x00\x00t", "J\x02\x00\x00\x00t"), "do not follow each other"},
		{"offset", changed("tQK\x00", "tQK\x01"), "from place 1 of a storage of"},
		{"wrong storage", changed("cpuJ\x10\x00\x00\x00", "cpuJ\x11\x00\x00\x00"), "bytes for 17 floats"},
		{"shape", of(func(all map[string]Tensor) { all[bias] = Tensor{[]int{1, 16}, all[bias].Data} }),
			"has shape [1 16] and 16 floats, want [16]"},
		{"missing", of(func(all map[string]Tensor) { delete(all, bias) }), bias + " is missing"},
		{"other", of(func(all map[string]Tensor) { all["decoder.bias"] = all[bias] }),
			"1 tensors are of another network: decoder.bias"},
		{"NaN", of(func(all map[string]Tensor) { all[bias].Data[3] = float32(math.NaN()) }), "not finite"},
		{"infinity", of(func(all map[string]Tensor) { all[bias].Data[3] = float32(math.Inf(-1)) }), "not finite"},
		{"width", of(func(all map[string]Tensor) {
			all["relation_model.layers.0.linear.bias"] = Tensor{[]int{15}, make([]float32, 15)}
		}), "the width must be a multiple of 16"},
		{"empty dictionary", pickle("}."), "not the weights of an inductive network"},
		{"cut safetensors", asSafetensors(t, same)[:4000], "not a complete safetensors file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := openBytes(t, c.content)
			var wrapped *sphere.CheckpointError
			if err == nil || !errors.As(err, &wrapped) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("error %v, want one with %q", err, c.words)
			}
		})
	}
}

// FuzzUnpickle runs arbitrary pickles: they end, with a value or an error.
func FuzzUnpickle(f *testing.F) {
	f.Add(pickled(randomTensors(53, 16, 1, 1)))
	f.Add([]byte("\x80\x02}(X\x01\x00\x00\x00aK\x01u."))
	f.Add([]byte("ccollections\nOrderedDict\n)R}b."))
	f.Fuzz(func(t *testing.T, program []byte) {
		value, err := unpickle(program)
		if err != nil && value != nil {
			t.Errorf("a value and an error: %v", err)
		}
	})
}
