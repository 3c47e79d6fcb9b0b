package notebook_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// TestInterruptBeforeNextCall: a call of compiled code that an interrupt could not stop is the cell's last, and its
// results are kept.
func TestInterruptBeforeNextCall(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"fmt\"; \"os/exec\"; \"time\")\ncleaned, shown := \"\", 0\nfunc text() string { return \"ye\" + \"s\" }")
	o, _ := s.interruptAfter("func work() {\n\tdefer func() { cleaned = text() + fmt.Sprint(1) }()\n"+
		"\texec.Command(\"sleep\", \".2\").Run()\n}\nbegan := time.Now()\nwork()\nshown++\nfmt.Println(\"after\")",
		20*time.Millisecond, true)
	if o.failure == nil || o.failure.Name != kernel.NameInterrupted || o.out != "" {
		t.Errorf("ended with %v, printed %q", o.failure, o.out)
	}
	if o := s.ok("fmt.Sprint(cleaned, shown)"); o.value != "yes10" {
		t.Errorf("the deferred function, and what follows the call: %q", o.value)
	}
	o, _ = s.interruptAfter("out, err := exec.Command(\"sh\", \"-c\", \"sleep .2; echo result\").Output()\n"+
		"fmt.Println(\"after\")", 20*time.Millisecond, true)
	if o.failure == nil || o.out != "" || o.failure.Traceback[1] != "cell [4]:2" {
		t.Errorf("ended with %v, printed %q", o.failure, o.out)
	}
	if o := s.ok("string(out)"); o.value != "result\n" {
		t.Errorf("the result is %q", o.value)
	}
}

// TestDeferredCallback: functions that deferred calls of an interrupted cell hand to compiled code run, too.
func TestDeferredCallback(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"fmt\"; \"sort\"; \"strings\"; \"sync\")\nsaved := \"\"\nvar once sync.Once\nsame := strings.Map\n" +
		"func work() {\n\tdefer func() {\n\t\tonce.Do(func() { saved += fmt.Sprint(1) })\n\t\txs := []int{3, 1, 2}\n" +
		"\t\tsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })\n" +
		"\t\tsaved += fmt.Sprint(xs, same(func(r rune) rune { return r + 1 }, \"ab\"))\n\t}()\n\tselect {}\n}")
	s.interruptAfter("work()", 30*time.Millisecond, true)
	if o := s.ok("saved"); o.value != "1[1 2 3]bc" {
		t.Errorf("saved = %q", o.value)
	}
	o, _ := s.interruptAfter("sort.Slice(make([]int, 9), func(i, j int) bool { for { } })", 30*time.Millisecond, true)
	if o.failure == nil || o.failure.Name != kernel.NameInterrupted {
		t.Errorf("ended with %v", o.failure)
	}
}

// TestInterruptAgain: what the first interrupt could not end, the second ends or leaves behind.
func TestInterruptAgain(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"net\"; \"fmt\")\nkept, saved := 1, 0\nl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")")
	for _, code := range []string{
		"func() { defer func() { saved++ }(); defer func() { for { } }(); for { } }()",
		"func() { defer func() { saved++ }(); defer func() { select { } }(); select { } }()",
		"late, err := l.Accept()\nfmt.Println(\"after\", late, err)\nkept = 2",
	} {
		if o := s.interruptTwice(code); o.failure == nil || o.failure.Name != kernel.NameInterrupted || o.out != "" {
			t.Errorf("%s: ended with %v, printed %q", code, o.failure, o.out)
		}
	}
	if o := s.ok("fmt.Sprint(kept, saved)"); o.value != "1 2" {
		t.Errorf("the state is %q", o.value)
	}
	s.ok("c, err := net.Dial(\"tcp\", l.Addr().String())")
	time.Sleep(100 * time.Millisecond)
	if o := s.ok("kept"); o.value != "1" || o.out != "" {
		t.Errorf("the cell that was left behind continues: %v, %q", o.value, o.out)
	}
}

// TestLeftBehind: deferred functions of a cell that is left behind do not run forever, and a method that shows a value
// is left behind, too.
func TestLeftBehind(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"net\"; \"time\")\nturns := 0\nl, err := net.Listen(\"tcp\", \"127.0.0.1:0\")\n" +
		"type T struct{}\nfunc (T) String() string { l.Accept(); return \"shown\" }")
	s.interruptTwice("func() {\n\tdefer func() { for { turns++; time.Sleep(time.Millisecond) } }()\n" +
		"\tdefer func() { for { } }()\n\tfor { }\n}()")
	turns := s.ok("turns").value
	time.Sleep(100 * time.Millisecond)
	if o := s.ok("turns"); o.value != turns {
		t.Errorf("the deferred function took %s turns, then %s", turns, o.value)
	}
	for _, code := range []string{"T{}", "x := T{}\n%vars"} {
		if o := s.interruptTwice(code); o.failure == nil || o.failure.Name != kernel.NameInterrupted || o.value != "" {
			t.Errorf("%s: ended with %v, shows %q", code, o.failure, o.value)
		}
	}
}

// interruptTwice runs a cell and interrupts it, again as soon as a message says that it has not ended. Where the first
// interrupt comes before the cell does what an interrupt does not end, it runs the cell again.
func (s *session) interruptTwice(code string) outcome {
	s.t.Helper()
	for wait := 20 * time.Millisecond; wait < 10*time.Second; wait *= 2 {
		ended := make(chan outcome, 1)
		go func() { ended <- s.runIn(context.Background(), code) }()
		early := false
		for told := false; !told && !early; told = strings.Contains(s.io.complaint(), "Interrupt again") {
			select {
			case <-ended:
				early = true
			case <-time.After(wait):
				s.Interrupt()
			}
		}
		for tries := 0; !early && tries < 5; tries++ {
			select {
			case o := <-ended:
				return o
			case <-time.After(2 * time.Second):
				s.Interrupt()
			}
		}
		if !early {
			break
		}
	}
	s.t.Fatalf("%s does not end, or always ends at once", code)
	return outcome{}
}
