package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// Names of errors, as a front end shows them before the message.
const (
	UnknownGraph    = "UnknownGraph"    // no such data set, folder or file
	BadGraph        = "BadGraph"        // a graph's file is damaged, or cannot be trained on
	UnknownEntity   = "UnknownEntity"   // the graph has no entity of that name
	UnknownRelation = "UnknownRelation" // the graph has no relation of that name
	AmbiguousName   = "AmbiguousName"   // several entities have that label, or several run ids that prefix
	BadQuestion     = "BadQuestion"     // not exactly one "?"
	BadCut          = "BadCut"          // no such cut of answers
	BadModel        = "BadModel"        // a config key or value is wrong
	UnknownRun      = "UnknownRun"      // no such logged run
	RunNotFinished  = "RunNotFinished"  // the run has no trained model
	AlreadyTraining = "AlreadyTraining" // another training runs in this kernel, or another program trains the run
	Interrupted     = "Interrupted"     // by the user
	TrainingFailed  = "TrainingFailed"  // the run ended as FAILED
	SetMismatch     = "SetMismatch"     // sets of different runs do not mix
	BadSQL          = "BadSQL"          // the database did not accept the query
	NoTracker       = "NoTracker"       // the database cannot be reached
	NotDrawn        = "NotDrawn"        // no data for the chart
	Failed          = "Error"           // anything else
)

// Error is what this package's functions panic with.
type Error struct {
	Name    string // one of the constants of this package
	Message string // complete, with what to do
	Err     error  // the cause; may be nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CellError returns how a notebook shows the error: its name, and whether to show the calls that led to it. They are
// not shown, since the message says what is wrong in the cell.
func (e *Error) CellError() (name string, hasTrace bool) { return e.Name, false }

func fail(name, format string, args ...any) *Error {
	return &Error{Name: name, Message: fmt.Sprintf(format, args...)}
}

// given panics if a variable was declared and never set.
func given(isSet bool, what, how string) {
	if !isSet {
		panic(fail(Failed, "the %s is nil: it was declared and not set; %s", what, how))
	}
}

// check panics with err as an *Error, unless it is nil.
func check(err error) {
	if err != nil {
		panic(asError(err))
	}
}

// asError turns an error of the packages below into an *Error with a name.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	message := strings.TrimSpace(err.Error())
	if words := hintText(hint.Of(err)); words != "" {
		message += "; " + words
	}
	if _, ok := errors.AsType[*experiments.InterruptedError](err); !ok && errors.Is(err, context.Canceled) {
		message = interruptedCell // the cause only says where the interrupt came
	}
	return &Error{Name: nameOf(err), Message: message, Err: err}
}

const interruptedCell = "the cell was interrupted"

func nameOf(err error) string {
	var notFound *kg.NotFoundError
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, new(*experiments.InterruptedError)):
		return Interrupted
	case errors.As(err, &notFound) && notFound.Kind == "relation":
		return UnknownRelation
	case notFound != nil:
		return UnknownEntity
	case errors.As(err, new(*kg.AmbiguousError)):
		return AmbiguousName
	case errors.As(err, new(*kg.FileError)):
		return BadGraph
	case errors.As(err, new(*dataset.NotFoundError)):
		return UnknownGraph
	case errors.As(err, new(*config.Error)), errors.As(err, new(*sphere.SettingError)):
		return BadModel
	case errors.As(err, new(*answer.NotTrainedError)):
		return RunNotFinished
	case errors.As(err, new(*experiments.FailedError)):
		return TrainingFailed
	}
	if _, ok := errors.AsType[*results.NoRunsError](err); ok {
		return UnknownRun
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
