//go:build race

package sphere

// raceDetector reports whether the tests run under the race detector.
const raceDetector = true
