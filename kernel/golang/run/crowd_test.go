package run

import (
	"testing"
	"unsafe"
)

// TestCrowd: uses of one object that overlap are refused if one changes it; uses of different ones are not.
func TestCrowd(t *testing.T) {
	a, b := unsafe.Pointer(new([2]int)), unsafe.Pointer(new([2]int))
	const text = "fatal error: read"
	refused := func(use func()) (said string) {
		defer func() {
			if f, ok := recover().(Fatal); ok {
				said = f.Text
			}
		}()
		use()
		return ""
	}
	c := new(Crowd)
	for _, step := range []struct {
		use  func()
		want string
	}{
		{func() { c.Write(a) }, ""},
		{func() { c.Write(a) }, "fatal error: concurrent map writes"},
		{func() { c.Read(a, text) }, text},
		{func() { c.Written(a) }, ""},
		{func() { c.Read(a, text) }, ""},
		{func() { c.Read(a, text) }, ""},
		{func() { c.Write(a) }, "fatal error: concurrent map read and map write"},
		{func() { c.HasRead(a) }, ""},
		{func() { c.Write(a) }, "fatal error: concurrent map read and map write"},
		{func() { c.HasRead(a) }, ""},
		{func() { c.Write(a); c.Written(a) }, ""},
	} {
		if got := refused(step.use); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	if c.slot(a) != c.slot(b) {
		c.Write(a)
		if got := refused(func() { c.Write(b); c.Written(b) }); got != "" {
			t.Errorf("another object is refused: %s", got)
		}
		c.Written(a)
	}
}

// TestCrowdWaits: who waits for an object has it alone.
func TestCrowdWaits(t *testing.T) {
	c, p, n := new(Crowd), unsafe.Pointer(new([2]int)), 0
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 1000 {
				c.Wait(p)
				n++
				c.Written(p)
			}
		}()
	}
	for range 4 {
		<-done
	}
	if n != 4000 {
		t.Errorf("%d of 4000", n)
	}
}

// TestAlone: one goroutine is alone, also with one that has ended; two are not.
func TestAlone(t *testing.T) {
	c := new(Crowd)
	c.Expect()
	if !c.Alone() {
		t.Error("one is not alone")
	}
	c.Expect()
	if c.Alone() {
		t.Error("two are alone")
	}
	c.Gone()
	if !c.Alone() {
		t.Error("the one that is left is not alone")
	}
}
