//go:build race

package expect

// RaceDetector reports whether the tests run under the race detector. There sync.Pool drops some of what it is given,
// so calls allocate again.
const RaceDetector = true
