package bridge

// panics tells whether a call panics, and with what. Who panics with that again must not do it in a deferred function:
// the stack of the first panic would stay, and many of them, one around the other, would take for ever.
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
