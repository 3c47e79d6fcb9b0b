// Package quantity formats counts, numbers and times for people.
package quantity

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Seconds returns a duration for people: "1.5 s", "12 s", "3m20s".
func Seconds(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", seconds)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", seconds)
	default:
		return d.Round(time.Second).String()
	}
}

// Count returns a number with its noun: "1 run", "2 runs".
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf returns a number with the words after it: "1 entity is", "2 entities are".
func CountOf(n int, one, many string) string { return strconv.Itoa(n) + " " + noun(n, one, many) }

// CommaCount is Count with commas: "14,541 entities".
func CommaCount(n int, noun string) string { return CommaCountOf(n, noun, noun+"s") }

// CommaCountOf is CountOf with commas.
func CommaCountOf(n int, one, many string) string { return Commas(n) + " " + noun(n, one, many) }

// FirstShown says that the first n of a list are shown.
func FirstShown(n int) string {
	switch n {
	case 0:
		return "none is shown"
	case 1:
		return "the first is shown"
	}
	return fmt.Sprintf("the first %d are shown", n)
}

func noun(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Commas returns a whole number with commas: "14,541".
func Commas(n int) string { return CommasIn(strconv.Itoa(n)) }

// CommasIn puts commas into the whole part of a decimal number.
func CommasIn(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	if strings.Trim(number, "0.") == "" {
		sign = ""
	}
	whole, _, _ := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return sign + number
}

// Fraction returns a number with the given number of digits, without a leading zero, as papers write it: ".451".
func Fraction(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if rest, ok := strings.CutPrefix(text, "0."); ok {
		return "." + rest
	}
	if rest, ok := strings.CutPrefix(text, "-0."); ok {
		return "-." + rest
	}
	return text
}

// Exact returns the shortest text that parses to the same number.
func Exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
