package mlflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/filter"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// fault is an error that a client sees, with one of MLflow's error codes.
type fault struct {
	code    string
	message string
}

func (f *fault) Error() string { return f.message }

// statuses are the HTTP statuses of MLflow's error codes.
var statuses = map[string]int{
	"INVALID_PARAMETER_VALUE": http.StatusBadRequest,
	"BAD_REQUEST":             http.StatusBadRequest,
	"RESOURCE_ALREADY_EXISTS": http.StatusBadRequest,
	"RESOURCE_DOES_NOT_EXIST": http.StatusNotFound,
	"ENDPOINT_NOT_FOUND":      http.StatusNotFound,
	"INVALID_STATE":           http.StatusInternalServerError,
	"INTERNAL_ERROR":          http.StatusInternalServerError,
	"TEMPORARILY_UNAVAILABLE": http.StatusServiceUnavailable,
}

func faultf(code, format string, args ...any) error {
	return &fault{code, fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error {
	return faultf("INVALID_PARAMETER_VALUE", format, args...)
}

func missing(format string, args ...any) error {
	return faultf("RESOURCE_DOES_NOT_EXIST", format, args...)
}

// asFault assigns a code to any error. What is not meant for clients, such as the database's own words, is not sent.
func asFault(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if wrong, ok := errors.AsType[*filter.Error](err); ok {
		return &fault{"INVALID_PARAMETER_VALUE", wrong.Error()}
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &fault{"BAD_REQUEST", "the request is larger than this server takes"}
	}
	// Class 22: a zero byte, a text that is too long, a number out of range.
	if refused, ok := errors.AsType[*pq.Error](err); ok && refused.Code.Class() == "22" {
		return &fault{"INVALID_PARAMETER_VALUE", "a value cannot be stored: " + refused.Message}
	}
	if refused, ok := errors.AsType[*pq.Error](err); ok && refused.Code == "57014" ||
		errors.Is(err, context.DeadlineExceeded) { // trying again would take as long
		return &fault{"BAD_REQUEST", fmt.Sprintf("the database needs more than %v for this request; ask for less", apiTime)}
	}
	switch tracker.ErrorCode(err) {
	case tracker.CodeInvalid, tracker.CodeConflict:
		return &fault{"INVALID_PARAMETER_VALUE", err.Error()}
	case tracker.CodeNotFound:
		return &fault{"RESOURCE_DOES_NOT_EXIST", err.Error()}
	case tracker.CodeUnavailable:
		return &fault{"TEMPORARILY_UNAVAILABLE", err.Error()}
	}
	if postgres.Transient(err) {
		return &fault{"TEMPORARILY_UNAVAILABLE", "the database cannot answer now; try again"}
	}
	return &fault{"INTERNAL_ERROR", "the server failed; its own log says why"}
}

func (f *fault) write(w http.ResponseWriter) {
	status, ok := statuses[f.code]
	if !ok {
		status = http.StatusInternalServerError
	}
	writeJSON(w, status, map[string]string{"error_code": f.code, "message": f.message})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil { // a programming error: this program defines all answers
		status, raw = http.StatusInternalServerError, []byte(`{"error_code":"INTERNAL_ERROR","message":"no answer"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the client may be gone
}
