package inductive

import (
	"archive/zip"
	"bytes"
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
