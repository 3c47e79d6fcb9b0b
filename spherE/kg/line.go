package kg

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
)

// maxLine is the length of the longest line that is read, in bytes. It keeps a file without line ends, such as an
// image, from filling the memory.
const maxLine = 1 << 20

// lineReader reads the lines of a file, without their ends ("\n" or "\r\n") and without a byte order mark. It checks
// that they are UTF-8.
type lineReader struct {
	r    *bufio.Reader
	file string // for errors
	line int    // number of the last line, from 1
}

func newLineReader(r io.Reader, file string) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 1<<16), file: file}
}

// fail returns an error about the last line.
func (l *lineReader) fail(format string, args ...any) error { return l.failAt(l.line, format, args...) }

func (l *lineReader) failAt(line int, format string, args ...any) error {
	return &FileError{File: l.file, Line: line, Message: fmt.Sprintf(format, args...)}
}

// next returns the next line, which is valid until the next call. At the end it returns io.EOF. Any other error is a
// *FileError.
func (l *lineReader) next() ([]byte, error) {
	text, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(text)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxLine {
			text, err = l.r.ReadSlice('\n')
			long = append(long, text...)
		}
		text = long
	}
	if len(text) == 0 && err == io.EOF {
		return nil, io.EOF
	}
	l.line++
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, &FileError{File: l.file, Line: l.line, Message: "reading stopped here: " + readMessage(err),
			Err: err}
	}
	if len(text) > maxLine {
		return nil, l.fail("the line is longer than %d bytes; is this a text file?", maxLine)
	}
	if l.line == 1 {
		if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
			return nil, l.fail("the file is UTF-16; save it as UTF-8")
		}
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	text = bytes.TrimSuffix(text, []byte("\r"))
	if !utf8.Valid(text) {
		return nil, l.fail("not valid UTF-8 at byte %d of the line; save the file as UTF-8", invalidAt(text)+1)
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return nil, l.fail("a zero byte at byte %d of the line; is this a text file?", i+1)
	}
	return text, nil
}

// nextFilled returns the next line that is not blank. It accepts blank lines only at the end of the file; elsewhere
// they suggest lost data.
func (l *lineReader) nextFilled() ([]byte, error) {
	text, err := l.next()
	if err != nil || len(bytes.TrimSpace(text)) > 0 {
		return text, err
	}
	blank := l.line
	for {
		text, err = l.next()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			return nil, l.failAt(blank, "the line is blank; remove it or put its content back")
		}
	}
}

func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// readMessage describes an error of reading.
func readMessage(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the gzip data ends too early; fetch or write the file again"
	case errors.Is(err, gzip.ErrChecksum):
		return "the gzip checksum is wrong; fetch or write the file again"
	case errors.Is(err, gzip.ErrHeader):
		return "it is not gzip data although its name ends in .gz"
	}
	return systemMessage(err)
}

// withLines opens a file, plain or .gz by its name, and calls read with its lines.
func withLines(path string, read func(*lineReader) error) error {
	return withFile(path, func(r io.Reader) error { return read(newLineReader(r, path)) })
}

// withFile opens a file, plain or .gz by its name, and calls read with its content.
func withFile(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return &FileError{File: path, Message: "cannot be opened: " + systemMessage(err), Err: err}
	}
	defer f.Close() // opened for reading: nothing to flush
	// Opening a folder works; reading it would fail with an error about line 1.
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return &FileError{File: path, Message: "is a folder; a file is expected here", Err: syscall.EISDIR}
	}
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bufio.NewReader(f))
		if errors.Is(err, io.EOF) {
			return &FileError{File: path, Message: "the file is empty", Err: errNoTriple}
		}
		if err != nil {
			return &FileError{File: path, Message: "cannot be read: " + readMessage(err), Err: err}
		}
		r = z
	}
	return read(r)
}

// systemMessage returns the message of the operating system, without operation and path.
func systemMessage(err error) string {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}
