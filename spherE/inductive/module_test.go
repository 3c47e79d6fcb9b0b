package inductive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// pickleText is a text in a pickle.
func pickleText(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

// TestCraftedModules: a small pickle takes neither much memory nor much time, and an attribute of which nothing is
// known is not taken for None.
func TestCraftedModules(t *testing.T) {
	t.Parallel()
	const object = "cm\nC\n)\x81"
	nested := ")"
	for i := range 40 { // each tuple has the one before twice
		nested += fmt.Sprintf("q%c", i) + fmt.Sprintf("h%c", i) + "\x86"
	}
	shared := object + "q\x00"
	for level := 1; level < 14; level++ { // each module has the one before ten times
		inner := pickleText("a") + shared
		for i := range 9 {
			inner += pickleText(fmt.Sprint("k", i)) + fmt.Sprintf("h%c", level-1)
		}
		shared = object + "}(" + pickleText("_modules") + "}(" + inner + "uub" + fmt.Sprintf("q%c", level)
	}
	for _, c := range []struct{ pickle, want string }{
		{nested + pickleText("a") + "\x93", "names a class by what is not text"},
		{shared, "more than 1000 modules"},
		{object + "}(" + pickleText("normalizer") + "ctorch\nnormalize\n" + pickleText("dropout") + "Nub", ""},
	} {
		content := archived(t, []byte("\x80\x02"+c.pickle+"."), nil, zip.Store)
		m, err := readModule(bytes.NewReader(content), int64(len(content)))
		if c.want == "" {
			if err != nil || m.Values["normalizer"] != (Opaque{}) || m.Values["dropout"] != nil || len(m.Values) != 2 {
				t.Errorf("read is %v, %v", m, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestSharedStorage: views of one storage are read again each time, so there are not many; tied tensors are one.
func TestSharedStorage(t *testing.T) {
	t.Parallel()
	const floats = 4096
	for _, c := range []struct {
		views, step int
		want        string
	}{{5, 1, ""}, {200, 0, ""}, {200, 1, "too many tensors that share a storage; save each by itself"}} {
		tensors := ""
		for i := range c.views {
			tensor := pickleText(fmt.Sprint("k", i)) + "ctorch._utils\n_rebuild_tensor_v2\n((" + pickleText("storage") +
				"ctorch\nFloatStorage\n" + pickleText("0") + pickleText("cpu") + "M\x00\x10tQK" + string([]byte{byte(i * c.step)}) +
				"K\x01\x85K\x01\x85tR"
			tensors += tensor
		}
		state, modules := "}("+tensors+"u", "cm\nC\n)\x81}("+pickleText("_parameters")+"}("+tensors+"uub"
		for _, program := range []string{state, modules} {
			data := map[string]Tensor{"a": {Data: make([]float32, floats)}}
			content := archived(t, []byte("\x80\x02"+program+"."), data, zip.Store)
			r, got := bytes.NewReader(content), 0
			var err error
			if program == state {
				var s *State
				if s, err = readState(r, r.Size()); err == nil {
					got = len(s.Tensors)
				}
			} else {
				var m *Module
				if m, err = readModule(r, r.Size()); err == nil {
					got = len(m.Tensors)
				}
			}
			refused := err != nil && strings.Contains(err.Error(), cmp.Or(c.want, "nothing"))
			if c.want == "" && (err != nil || got != c.views) || c.want != "" && !refused {
				t.Errorf("%d views, step %d: %d tensors, %v, want %q", c.views, c.step, got, err, c.want)
			}
		}
	}
}

// TestStates reads dictionaries of a state, also crafted ones.
func TestStates(t *testing.T) {
	t.Parallel()
	floats := func(key string) string { // four floats, as a matrix of two rows
		return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickleText("storage") + "ctorch\nFloatStorage\n" + pickleText(key) +
			pickleText("cpu") + "K\x04tQK\x00K\x02K\x02\x86K\x02K\x01\x86tR"
	}
	shared, deep := "}q\x00", "}"
	for level := range 14 { // each dictionary has the one before ten times
		shared += fmt.Sprintf("q%c}(", level)
		for i := range 10 {
			shared += pickleText(fmt.Sprint("k", i)) + fmt.Sprintf("h%c", level)
		}
		shared += "u"
	}
	shared = "(" + shared + "t"
	for range 20 {
		deep = "}" + pickleText("a") + deep + "s"
	}
	long := "}" + pickleText(strings.Repeat("a", 900)) + "(" + strings.Repeat("N", 20000) + "ts"
	good := "}(" + pickleText("a") + floats("0") + pickleText("tied") + floats("0") + pickleText("names") + "](" + pickleText("x") +
		pickleText("y") + "e" + pickleText("config") + "cm\nC\n)\x81}" + pickleText("options") + "}" + pickleText("k") + "K\x07ssb" +
		pickleText("pair") + "N\x88\x86" + pickleText("mixed") + "](NK\x01eu"
	for _, c := range []struct{ pickle, want string }{
		{good, ""}, {"}" + pickleText("a") + shared + "s", "has more values than bytes"}, {deep, "more than 16 deep"},
		{"}" + pickleText(strings.Repeat("a", 1001)) + "Ns", "a name of more than 1000 bytes"}, {long, "longer together"}, {"]", "has no dictionary of tensors"},
	} {
		content := archived(t, []byte("\x80\x02"+c.pickle+"."), map[string]Tensor{"a": {Data: []float32{1, 2, 3, 4}}}, zip.Store)
		s, err := readState(bytes.NewReader(content), int64(len(content)))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			continue
		}
		if err != nil || fmt.Sprint(s.Tensors) != "map[a:{[2 2] [1 2 3 4]} tied:{[2 2] [1 2 3 4]}]" ||
			fmt.Sprint(s.Texts) != "map[names:[x y]]" || fmt.Sprint(s.Values) !=
			"map[config.options.k:7 mixed:{} pair.0:<nil> pair.1:true]" {
			t.Errorf("read is %v, %v", s, err)
		}
	}
}
