package kernel

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/wire"
)

// An interrupt between two cells hits the one that waits. It is not lost and hits no later cell.
func TestInterruptBetweenCells(t *testing.T) {
	t.Parallel()
	session, err := wire.NewSession(wire.Connection{})
	expect.NoError(t, err)
	bare := func() *server {
		return &server{state: newState(), out: newOutbox(time.Hour, func(segment) {}), iopub: wire.NewPub(0, 0, nil),
			engine:  newFake(),
			session: session, log: slog.New(slog.DiscardHandler)}
	}
	cell := func() *request { return &request{Message: &wire.Message{}} }
	begin := func(s *server, r *request) (*running, bool) {
		_, cancel := context.WithCancelCause(t.Context())
		c := &running{request: r, cancel: cancel}
		return c, s.begin(c, false)
	}

	s := bare()
	first, second := cell(), cell()
	s.interrupt() // no cell runs or waits
	s.state.add(first)
	s.state.add(second)
	if _, hit := begin(s, first); hit {
		t.Error("an interrupt hit a cell that came after it")
	}
	s.end(first)
	s.state.done()
	s.interrupt() // between the two
	if _, hit := begin(s, second); !hit {
		t.Error("an interrupt between two cells was lost")
	}

	s = bare()
	first, second = cell(), cell()
	s.state.add(first)
	s.state.add(second)
	c, _ := begin(s, first)
	s.interrupt() // too late: the cell ends in order
	s.recordEnd(c, nil)
	s.end(first)
	if _, hit := begin(s, second); !hit {
		t.Error("an interrupt that came too late for a cell was lost")
	}

	s = bare()
	first, second = cell(), cell()
	s.state.add(first)
	s.state.add(second)
	c, _ = begin(s, first)
	s.interrupt()
	s.recordEnd(c, &CellError{Name: "Interrupted"})
	s.end(first)
	if _, hit := begin(s, second); hit {
		t.Error("one interrupt hit two cells")
	}

	s = bare()
	first = cell()
	s.state.add(first)
	c, _ = begin(s, first)
	s.recordEnd(c, nil)
	s.interrupt() // while its output is still being sent
	s.end(first)
	s.state.add(second)
	if _, hit := begin(s, second); hit {
		t.Error("an interrupt after the last cell hit one that came later")
	}

	s = bare()
	first, second, third := cell(), cell(), cell()
	for _, r := range []*request{first, second, third} {
		s.state.add(r)
	}
	second.isAborted = true
	c, _ = begin(s, first)
	s.recordEnd(c, nil)
	s.interrupt()
	s.skip(second)
	if _, hit := begin(s, third); !hit {
		t.Error("an interrupt was lost on a cell that does not run")
	}
}

// Of two cells that were sent together, the interrupt at the end of the first ends the second if it is too late for the
// first.
func TestInterruptIsNotLost(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		for round := range 100 {
			first := c.send("shell", "execute_request", map[string]any{"code": "gate"})
			second := c.send("shell", "execute_request", map[string]any{"code": "wait", "stop_on_error": false})
			<-k.fake.marks
			c.ask("kernel_info_request", map[string]any{}) // behind both on the same connection
			go func() { k.fake.gate <- struct{}{} }()
			c.reply(c.control, "control", c.send("control", "interrupt_request", map[string]any{}))
			if o := c.finish(first); o.reply["status"] != "ok" {
				t.Fatalf("round %d: %v", round, o.reply)
			}
			if o := c.finish(second); o.reply["ename"] != "Interrupted" {
				t.Fatalf("round %d: %v", round, o.reply)
			}
			if o := c.run("value 1"); o.reply["status"] != "ok" {
				t.Fatalf("round %d: the interrupt hit a cell that was sent after it: %v", round, o.reply)
			}
			for len(k.fake.marks) > 0 { // of the second
				<-k.fake.marks
			}
		}
	})
}

// A cell that is interrupted before it begins says so, shows itself as any other, and takes the ones behind it along.
func TestInterruptedBeforeItBegan(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	first := c.send("shell", "execute_request", map[string]any{"code": "gate"})
	second := c.send("shell", "execute_request", map[string]any{"code": "print second"})
	third := c.send("shell", "execute_request", map[string]any{"code": "print third"})
	<-k.fake.marks
	c.ask("kernel_info_request", map[string]any{})
	c.reply(c.control, "control", c.send("control", "interrupt_request", map[string]any{}))
	k.fake.gate <- struct{}{}
	if o := c.finish(first); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
	if o := c.finish(second); o.reply["ename"] != "Interrupted" || o.types() != "execute_input error" {
		t.Errorf("%v, %q", o.reply, o.types())
	}
	if o := c.finish(third); o.reply["status"] != "aborted" {
		t.Errorf("%v", o.reply)
	}
	if o := c.run("print again"); o.stdout != "again\n" || o.reply["execution_count"] != 3.0 {
		t.Errorf("%q, %v", o.stdout, o.reply)
	}
	if n := k.fake.evaluated(); n != 2 {
		t.Errorf("%d cells were evaluated", n)
	}
}

// Expressions that a front end asks for can be interrupted like the cell.
func TestInterruptUserExpressions(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	id := c.send("shell", "execute_request", map[string]any{"code": "value 1",
		"user_expressions": map[string]any{"a": "wait"}})
	<-k.fake.marks
	c.interrupt()
	o := c.finish(id)
	if a := o.reply["user_expressions"].(map[string]any)["a"].(map[string]any); o.reply["status"] != "ok" ||
		a["ename"] != "Interrupted" {
		t.Errorf("%v", o.reply)
	}
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}
