package progress

import (
	"time"
)

// soon is the time after which a task is shown, and the least time between two updates.
const soon = time.Second

// WhereSlow returns the progress function of a task that begins now. It calls show only if the task takes long, and not
// too often.
func WhereSlow(show func(first bool, done, total int)) func(done, total int) {
	last, shown := time.Now(), false
	return func(done, total int) {
		if time.Since(last) < soon && !(shown && done == total) || !shown && done == total {
			return
		}
		last = time.Now()
		show(!shown, done, total)
		shown = true
	}
}
