//go:build race

package retrieve

// raceDetector: sync.Pool drops some of what it is given when races are looked for, so calls allocate again.
const raceDetector = true
