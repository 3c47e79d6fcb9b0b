package run

import "unsafe"

// Deferred is a deferred call of a frame.
type Deferred struct {
	Frame unsafe.Pointer // an entered frame of a cell's function, or
	// Recovers is a deferred recover(). It ends the panic that runs the function which deferred it.
	Recovers bool
	Call     func(frame unsafe.Pointer) // any other call
	next     *Deferred
}

// Panic is a panic that runs deferred calls.
type Panic struct {
	value       any
	isRecovered bool
	isFinal     bool // cells cannot recover it
}

// Push adds a deferred call to a frame.
func Push(frame unsafe.Pointer, d *Deferred) {
	h := HeadOf(frame)
	d.next = h.defers
	h.defers = d
}

// RunDefers runs the deferred calls of a frame that returns.
func RunDefers(frame unsafe.Pointer) {
	Check(frame) // otherwise the first of them would be ended
	runDefers(frame, nil)
}

func runDefers(frame unsafe.Pointer, p *Panic) {
	h := HeadOf(frame)
	for h.defers != nil {
		d := h.defers
		h.defers = d.next
		if d.Recovers {
			if p == nil {
				Recover(frame)
			}
			continue
		}
		if d.Call != nil {
			d.Call(frame)
			continue
		}
		callee := HeadOf(d.Frame)
		callee.panics = p
		Run(d.Frame)
		Leave(d.Frame)
		if p != nil && p.isRecovered {
			return
		}
	}
}

// Recover returns the value of the panic that runs the frame as a deferred call, and ends that panic.
func Recover(frame unsafe.Pointer) any {
	p := HeadOf(frame).panics
	if p == nil || p.isRecovered || p.isFinal {
		return nil
	}
	p.isRecovered = true
	return p.value
}

// protect runs a function that has deferred calls.
func (c *Code) protect(frame unsafe.Pointer) {
	h := HeadOf(frame)
	h.defers = nil
	p := attempt(frame, func() { c.loop(frame, c.Entry) })
	if p == nil {
		return
	}
	if exit, ok := p.value.(Exited); ok {
		h.defers = nil
		panic(exit)
	}
	for p != nil || h.defers != nil {
		h.G.current = frame
		if h.defers == nil {
			panic(p.value)
		}
		if next := attempt(frame, func() { runDefers(frame, p) }); next != nil {
			p = next
		} else if p != nil && p.isRecovered {
			p = nil
			h.G.trace = h.G.trace[:0]
		}
	}
	h.G.current = frame
	c.Clear(frame)
	if c.Recover != nil {
		c.loop(frame, c.Recover)
	}
}

// attempt runs a part of a function and returns the panic that ended it. runtime.Goexit runs the deferred calls at
// once: nothing can stop it.
func attempt(frame unsafe.Pointer, part func()) (p *Panic) {
	done := false
	defer func() {
		if done {
			return
		}
		g := HeadOf(frame).G
		value := recover()
		if value == nil {
			g.current = frame
			runDefers(frame, nil)
			return
		}
		g.recordRecovered(value)
		p = &Panic{value: value}
		switch value.(type) {
		case Interrupted, DepthError, Fatal:
			p.isFinal = true
		}
	}()
	part()
	done = true
	return nil
}
