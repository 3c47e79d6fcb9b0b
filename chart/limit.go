package chart

import "fmt"

// LimitError is the error for valid data or options that are too much for a chart. The user can choose less. Other
// errors are mistakes of the program that made the chart.
type LimitError struct{ text string }

func limitf(format string, args ...any) error { return &LimitError{fmt.Sprintf(format, args...)} }

// Error returns what is too much, and what helps.
func (e *LimitError) Error() string { return "chart: " + e.text }

// Reason is Error without the name of the package, for a page.
func (e *LimitError) Reason() string { return e.text }
