package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spherelab/spherelab/internal/visible"
)

// sayEvery is the least time between two lines about a training where the output is not a terminal.
const sayEvery = 10 * time.Second

// screen shows trainings in one line: a terminal's last one, or now and then a line of a file. It implements
// session.Cell, for a program without cells.
type screen struct {
	ctx        context.Context
	out        io.Writer
	isTerminal bool
	now        func() time.Time

	mu   sync.Mutex
	said time.Time
	rest string // what was not written yet; on a terminal, what the cursor's line shows
}

func newScreen(ctx context.Context, out io.Writer) *screen {
	s := &screen{ctx: ctx, out: out, now: time.Now}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		s.isTerminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return s
}

// Context implements session.Cell.
func (s *screen) Context() context.Context { return s.ctx }

// Show implements session.Cell.
func (s *screen) Show(_ string, data map[string]any) {
	text, _ := data["text/plain"].(string)
	line, _, _ := strings.Cut(text, "\n")
	line = visible.Line(line)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.isTerminal:
		fmt.Fprintf(s.out, "\r\x1b[K%s", line)
		s.rest = line
	case s.now().Sub(s.said) >= sayEvery:
		fmt.Fprintln(s.out, line)
		s.said, s.rest = s.now(), ""
	default:
		s.rest = line
	}
}

// end writes what was not written yet, or ends the line of a terminal.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.rest == "":
	case s.isTerminal:
		fmt.Fprintln(s.out)
	default:
		fmt.Fprintln(s.out, s.rest)
	}
	s.rest = ""
}
