//go:build !race

package expect

// RaceDetector reports whether the tests run under the race detector.
const RaceDetector = false
