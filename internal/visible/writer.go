package visible

import (
	"io"
	"unicode/utf8"
)

// Writer writes text as Lines returns it. A write may end within a character.
type Writer struct {
	W    io.Writer
	rest []byte // of a character
}

func (w *Writer) Write(text []byte) (int, error) {
	all := append(w.rest, text...)
	end := len(all)
	for i := max(0, end-utf8.UTFMax); i < end; i++ {
		if utf8.RuneStart(all[i]) && !utf8.FullRune(all[i:]) {
			end = i
		}
	}
	w.rest = append([]byte(nil), all[end:]...)
	if _, err := io.WriteString(w.W, Lines(string(all[:end]))); err != nil {
		return 0, err
	}
	return len(text), nil
}
