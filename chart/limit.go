package chart

import "fmt"

// LimitError is why data or options that are sound cannot be drawn: a chart has no room for so much. Whoever chooses
// what is drawn can choose less. Other errors are mistakes of the program that made the chart.
type LimitError struct{ text string }

func limitf(format string, args ...any) error { return &LimitError{fmt.Sprintf(format, args...)} }

// Error says what is too much, and what helps.
func (e *LimitError) Error() string { return "chart: " + e.text }

// Reason is Error without the name of the package, for a page.
func (e *LimitError) Reason() string { return e.text }
