package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/dataset"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Names of errors, as a front end shows them before the message.
const (
	UnknownGraph    = "UnknownGraph"    // there is no such data set, folder or file
	BadGraph        = "BadGraph"        // a graph's file is damaged, or cannot be trained on
	UnknownEntity   = "UnknownEntity"   // the graph has no entity of that name
	UnknownRelation = "UnknownRelation" // the graph has no relation of that name
	AmbiguousName   = "AmbiguousName"   // several entities have that label, or several runs that beginning of an id
	BadQuestion     = "BadQuestion"     // not exactly one "?"
	BadModel        = "BadModel"        // a config key or value is wrong
	UnknownRun      = "UnknownRun"      // no such run is logged
	RunNotFinished  = "RunNotFinished"  // the run has no trained model
	AlreadyTraining = "AlreadyTraining" // a training runs in this kernel, or another program trains the run
	Interrupted     = "Interrupted"     // by the user
	TrainingFailed  = "TrainingFailed"  // the run ended as FAILED
	SetMismatch     = "SetMismatch"     // sets of different runs do not mix
	BadSQL          = "BadSQL"          // the database did not accept the query
	NoTracker       = "NoTracker"       // the database cannot be reached
	NotDrawn        = "NotDrawn"        // there is nothing to draw such a chart of
	Failed          = "Error"           // anything else
)

// Error is what this package's functions panic with.
type Error struct {
	Name    string // one of the constants of this package
	Message string // complete, with what can be done
	Err     error  // the cause; may be nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CellError says how a notebook shows the error: its name, and whether the calls that led to it are of interest. They
// are not: the message says what is wrong in the cell.
func (e *Error) CellError() (name string, trace bool) { return e.Name, false }

func fail(name, format string, args ...any) *Error {
	return &Error{Name: name, Message: fmt.Sprintf(format, args...)}
}

// given refuses to go on with a variable that was declared and never set.
func given(set bool, what, how string) {
	if !set {
		panic(fail(Failed, "the %s is nil: it was declared and not set; %s", what, how))
	}
}

// check panics with err as an *Error, unless it is nil.
func check(err error) {
	if err != nil {
		panic(asError(err))
	}
}

// asError names an error of the packages below.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	message := strings.TrimSpace(err.Error())
	if _, ok := errors.AsType[*experiments.InterruptedError](err); !ok && errors.Is(err, context.Canceled) {
		message = interruptedCell // what was going on then is of no interest
	}
	return &Error{Name: nameOf(err), Message: message, Err: err}
}

const interruptedCell = "the cell was interrupted"

func nameOf(err error) string {
	if errors.Is(err, context.Canceled) {
		return Interrupted
	}
	var notFound *kg.NotFoundError
	if errors.As(err, &notFound) {
		if notFound.Kind == "relation" {
			return UnknownRelation
		}
		return UnknownEntity
	}
	if _, ok := errors.AsType[*kg.AmbiguousError](err); ok {
		return AmbiguousName
	}
	if _, ok := errors.AsType[*kg.FileError](err); ok {
		return BadGraph
	}
	if _, ok := errors.AsType[*dataset.NotFoundError](err); ok {
		return UnknownGraph
	}
	if _, ok := errors.AsType[*experiments.ConfigError](err); ok {
		return BadModel
	}
	if _, ok := errors.AsType[*sphere.SettingError](err); ok {
		return BadModel
	}
	if _, ok := errors.AsType[*experiments.InterruptedError](err); ok {
		return Interrupted
	}
	if _, ok := errors.AsType[*experiments.FailedError](err); ok {
		return TrainingFailed
	}
	switch tracker.ErrorCode(err) {
	case tracker.CodeNotFound:
		return UnknownRun
	case tracker.CodeAmbiguous:
		return AmbiguousName
	case tracker.CodeBusy:
		return AlreadyTraining
	case tracker.CodeSQL, tracker.CodeReadOnly, tracker.CodeNoReader:
		return BadSQL
	case tracker.CodeUnavailable:
		return NoTracker
	}
	return Failed
}
