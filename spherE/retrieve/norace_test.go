//go:build !race

package retrieve

const raceDetector = false
