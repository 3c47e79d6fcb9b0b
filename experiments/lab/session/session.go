// Package session has what a notebook does with graphs, models, runs and answers, as methods of one session. Notebooks
// and programs call them as functions of package lab:
//
//	g := lab.Graph("bundled")
//	run := lab.Train(g, lab.Model("sphere-2d").Epochs(30))
//	run.Ask("Max Born", "advised", "?")
//
// Runs are like any others: trained by package experiments, logged by package tracker, found by `spherelab runs ls`, by
// SQL and by lab.Run. A function that fails panics with an *Error, which ends the cell or the program with one message.
// Programs that want errors as values use the packages below this one.
package session

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/tracker"
)

// Cell is what a session needs of the running cell.
type Cell interface {
	// Context ends when the cell is interrupted.
	Context() context.Context
	// Show displays data in several formats, by MIME type. Data shown later under the same id replaces the display.
	Show(id string, data map[string]interface{})
}

// Options are what a session needs.
type Options struct {
	// Cell is the running cell; nil: nothing interrupts and nothing is shown.
	Cell Cell
	// Tracker returns the tracker that runs are logged in, always the same one. It is called when a tracker is first
	// needed, and again after a failure. nil: functions that need logged runs fail.
	Tracker func(ctx context.Context) (*tracker.Tracker, error)
	// DataDirs are the folders in which graphs are searched by name. The current folder comes after them.
	DataDirs []string
	// Threads is the number of threads of a training whose model does not set it; 0: all cores. It never changes a
	// result.
	Threads int
	// EntryPoint is what runs log as the way they were started; "": notebook.
	EntryPoint string
	// Modules returns go.mod and go.sum, by name, of the modules that cells import, which runs keep; nil: none.
	Modules func() map[string][]byte
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
}

// Session is one notebook's use of the package. Its methods may be called by several goroutines; one training runs at a
// time.
type Session struct {
	o Options

	mu          sync.Mutex
	training    *live // nil: no training
	displays    int   // live displays so far, for their names
	environment *experiments.Environment
	models      map[string]*answer.Run // finished runs that were loaded, by id
	loaded      []string               // their ids, the last used one at the end
}

// New returns a session.
func New(o Options) *Session {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Session{o: o, models: map[string]*answer.Run{}}
}

func (s *Session) context() context.Context {
	if s.o.Cell == nil {
		return context.Background()
	}
	return s.o.Cell.Context()
}

func (s *Session) show(id string, data map[string]interface{}) {
	if s.o.Cell != nil {
		s.o.Cell.Show(id, data)
	}
}

func (s *Session) tracker(ctx context.Context) *tracker.Tracker {
	if s.o.Tracker == nil {
		panic(&Error{Name: NoTracker, Message: "this session has no tracker, so there are no logged runs"})
	}
	t, err := s.o.Tracker(ctx)
	check(err)
	return t
}

// dataDirs returns the folders in which graphs are searched by name. The current folder may change while a notebook
// runs.
func (s *Session) dataDirs() []string {
	dirs := slices.Clone(s.o.DataDirs)
	if here, err := filepath.Abs("."); err == nil {
		dirs = append(dirs, here)
	}
	return dirs
}

func (s *Session) machine(ctx context.Context) experiments.Environment {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.environment == nil {
		e := experiments.ReadEnvironment(ctx)
		e.EntryPoint = cmp.Or(s.o.EntryPoint, "notebook")
		s.environment = &e
	}
	e := *s.environment
	if s.o.Modules != nil {
		e.Modules = s.o.Modules()
	}
	return e
}

// keptModels is the number of loaded runs that a session keeps.
const keptModels = 8

// open returns a finished run, loaded now or before.
func (s *Session) open(ctx context.Context, id string) *answer.Run {
	s.mu.Lock()
	run := s.models[id]
	if run != nil {
		s.loaded = append(slices.DeleteFunc(s.loaded, func(x string) bool { return x == id }), id)
	}
	s.mu.Unlock()
	if run != nil {
		return run
	}
	run, err := answer.Open(ctx, s.tracker(ctx), id, s.dataDirs())
	check(err)
	if run.UnfinishedNote() != "" {
		return run // its model changes when it is resumed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.models[id] == nil {
		s.loaded = append(s.loaded, id)
	}
	s.models[id] = run
	if len(s.loaded) > keptModels {
		delete(s.models, s.loaded[0])
		s.loaded = slices.Delete(s.loaded, 0, 1)
	}
	return run
}
