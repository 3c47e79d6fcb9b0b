package bridge

// panics reports whether a call panics, and returns the value. The caller must not panic again in a deferred function:
// the stack of the first panic would stay, and many nested ones would take forever.
func panics(fault *any, call func()) (ended bool) {
	ended = true
	defer func() {
		if ended {
			*fault = recover()
		}
	}()
	call()
	return false
}
