package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

const (
	// lastWords has the beginning and the end of the name of the record next to a connection file. Jupyter does not use
	// names that begin with a dot.
	lastWordsPrefix, lastWordsSuffix = ".", ".last"
	// namesTold is the max number of lost names in a message.
	namesTold = 40
	// wordsRead is how much of a record is read, in bytes: the runtime writes a stack for each goroutine.
	wordsRead = 1 << 20
)

// record is a file next to the connection file that outlives the process: what cells had declared, and what Go's
// runtime says when it ends the process. Jupyter starts a kernel that died again with the same connection file, so the
// next process can tell the user. A nil record does nothing.
type record struct {
	file *os.File
	head recordHead
	log  *slog.Logger
}

// recordHead is the first line of a record.
type recordHead struct {
	Cell    int      `json:"cell"`    // the count of the last cell that began
	Running bool     `json:"running"` // whether it has not ended
	Names   []string `json:"names"`
}

func recordPath(connectionFile string) string {
	dir, name := filepath.Split(connectionFile)
	return filepath.Join(dir, lastWordsPrefix+name+lastWordsSuffix)
}

// openRecord starts the record of a process. It also returns what the user should know about the previous process, ""
// if that one ended normally or there was none.
func openRecord(connectionFile string, log *slog.Logger) (r *record, died string) {
	sweepRecords(filepath.Dir(connectionFile))
	path := recordPath(connectionFile)
	if text, err := os.ReadFile(path); err == nil {
		died = epitaph(text[:min(len(text), wordsRead)])
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		err = debug.SetCrashOutput(file, debug.CrashOptions{})
	}
	if err != nil {
		log.Warn("cannot record why the kernel dies, if it dies", "error", err)
		return nil, died
	}
	r = &record{file: file, log: log}
	r.write()
	return r, died
}

// sweepRecords removes the records of kernels that died and were not started again.
func sweepRecords(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, lastWordsPrefix+"*"+lastWordsSuffix)) // the pattern is right
	for _, path := range left {
		name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), lastWordsSuffix), lastWordsPrefix)
		if _, err := os.Lstat(filepath.Join(dir, name)); errors.Is(err, os.ErrNotExist) {
			_ = os.Remove(path)
		}
	}
}

// begin notes that a cell runs.
func (r *record) begin(cell int) {
	if r != nil {
		r.head.Cell, r.head.Running = cell, true
		r.write()
	}
}

// end notes that the cell has ended, and what is declared now.
func (r *record) end(names []string) {
	if r != nil {
		r.head.Running, r.head.Names = false, names
		r.write()
	}
}

func (r *record) write() {
	line, err := json.Marshal(r.head)
	if err == nil {
		err = r.file.Truncate(0)
	}
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil {
		r.log.Warn("cannot record what is lost if the kernel dies", "error", err)
	}
}

// close removes the record of a process that ends normally.
func (r *record) close() {
	if r == nil {
		return
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // cannot fail
	_ = os.Remove(r.file.Name())
	_ = r.file.Close()
}

// epitaph words the record of a process that died.
func epitaph(text []byte) string {
	line, words, _ := bytes.Cut(text, []byte("\n"))
	var head recordHead
	if json.Unmarshal(line, &head) != nil { // it died before the line was written
		head, words = recordHead{}, text
	}
	if head.Cell == 0 && len(words) == 0 {
		return "" // nothing had run
	}
	var b strings.Builder
	b.WriteString("the kernel died and was started again: " + cause(string(words)))
	switch {
	case head.Running:
		fmt.Fprintf(&b, "; cell [%d] was running", head.Cell)
	case head.Cell > 0:
		fmt.Fprintf(&b, "; cell [%d] had ended", head.Cell)
	}
	b.WriteString(".\n")
	if n := len(head.Names); n > 0 {
		told := slices.Clone(head.Names[:min(n, namesTold)])
		if n > namesTold {
			told = append(told, fmt.Sprintf("and %d more", n-namesTold))
		}
		b.WriteString("Lost: " + strings.Join(told, ", ") + ". Run the cells that declare them again.\n")
	}
	return b.String()
}

// fatal has the functions of the runtime that end a process, with the reason. The runtime writes the text of a fatal
// error only to standard error, so the record has only the stacks.
var fatal = []struct{ frame, text string }{
	{"internal/runtime/maps.fatal(", "fatal error: concurrent use of a map"},
	{"sync.fatal(", "fatal error: unlock of something that is not locked"},
	{"runtime.newstack(", "fatal error: stack overflow"},
	{"runtime.sysMapOS(", "fatal error: out of memory"},
	{"", "fatal error of Go's runtime"},
}

// cause returns what the runtime says, and the compiled function at fault.
func cause(words string) string {
	words = strings.TrimSpace(words)
	if words == "" {
		return "it was killed, from outside or for lack of memory"
	}
	said, _, _ := strings.Cut(words, "\n")
	if strings.HasPrefix(said, "goroutine ") || strings.HasPrefix(said, "runtime stack:") {
		said = fatal[slices.IndexFunc(fatal, func(f struct{ frame, text string }) bool {
			return strings.Contains(words, f.frame)
		})].text
	}
	stacks := 0 // the first is that of the goroutine at fault
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "goroutine "):
			stacks++
		case stacks == 1 && isFrame(line):
			return said + ", in " + line[:strings.LastIndexByte(line, '(')]
		}
	}
	return said
}

// isFrame reports whether a line of a stack names a function that is neither the runtime's nor the interpreter's.
func isFrame(line string) bool {
	if line == "" || strings.HasPrefix(line, "panic(") || strings.HasPrefix(line, "created by ") ||
		strings.ContainsAny(line[:1], "/[(") {
		return false
	}
	for _, own := range []string{"runtime.", "internal/", "reflect.", "github.com/spherelab/spherelab/kernel/"} {
		if strings.HasPrefix(line, own) {
			return false
		}
	}
	dot := strings.LastIndexByte(line, '.')
	return dot > 0 && strings.IndexByte(line, '(') > 0
}
