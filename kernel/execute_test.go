package kernel

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/wire"
)

// transports runs a test over both transports.
func transports(t *testing.T, f func(t *testing.T, k *kernelUnderTest, c *client)) {
	for _, transport := range []string{"tcp", "ipc"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			k := startKernel(t, transport, options{})
			f(t, k, k.connect(t))
		})
	}
}

func TestExecute(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		o := c.run("print hello\nvalue 42")
		if got, want := o.types(), "execute_input stream execute_result"; got != want {
			t.Errorf("messages %q, want %q", got, want)
		}
		if o.reply["status"] != "ok" || o.reply["execution_count"] != 1.0 {
			t.Errorf("reply %v", o.reply)
		}
		if input := fields(t, o.iopub[0]); input["code"] != "print hello\nvalue 42" || input["execution_count"] != 1.0 {
			t.Errorf("execute_input %v", input)
		}
		if o.stdout != "hello\n" {
			t.Errorf("stdout %q", o.stdout)
		}
		result := fields(t, o.iopub[2])
		if result["data"].(map[string]any)["text/plain"] != "42" || result["execution_count"] != 1.0 {
			t.Errorf("execute_result %v", result)
		}
		if o := c.run("# nothing"); o.types() != "execute_input" || o.reply["execution_count"] != 2.0 {
			t.Errorf("a cell without value: %q %v", o.types(), o.reply)
		}
	})
}

// The parent header must come back byte for byte: clients compare it and may have members of their own in it.
func TestParentHeaderIsVerbatim(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	raw := []byte(`{ "msg_id":"m<1>",  "session":"s","username":"ü","date":"2020-01-01T00:00:00Z","msg_type":"kernel_info_request","version":"5.3","extra":[1,2.50] }`)
	frames := c.session.Seal(raw, []byte("{}"), []byte("{}"), []byte("{}"))
	socket := zmq4.NewDealer(t.Context())
	defer socket.Close()
	expect.NoError(t, socket.Dial(c.address(k.conn.ShellPort)))
	expect.NoError(t, socket.Send(zmq4.NewMsgFrom(slices.Concat([][]byte{[]byte("an identity")}, frames)...)))
	m, err := socket.Recv()
	expect.NoError(t, err)
	if len(m.Frames) != 7 || string(m.Frames[0]) != "an identity" || string(m.Frames[4]) != string(raw) {
		t.Errorf("the reply is %q", m.Frames)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	o := c.run("print before\nerror ValueError it is wrong\nprint after")
	if o.types() != "execute_input stream error" || o.stdout != "before\n" {
		t.Errorf("messages %q, stdout %q", o.types(), o.stdout)
	}
	for _, content := range []map[string]any{o.reply, fields(t, o.iopub[2])} {
		if content["ename"] != "ValueError" || content["evalue"] != "it is wrong" {
			t.Errorf("error %v", content)
		}
		if tb, _ := json.Marshal(content["traceback"]); string(tb) != `["cell:2","error ValueError it is wrong"]` {
			t.Errorf("traceback %s", tb)
		}
	}
	if o.reply["status"] != "error" || o.reply["execution_count"] != 1.0 {
		t.Errorf("reply %v", o.reply)
	}
	if o := c.run("fault broken"); o.reply["status"] != "error" || o.reply["evalue"] != "fault: broken" {
		t.Errorf("fault: %v", o.reply)
	}
	if o := c.run("panic oh no"); o.reply["ename"] != "InternalError" ||
		!strings.Contains(o.reply["evalue"].(string), "oh no") {
		t.Errorf("panic: %v", o.reply)
	}
	if o := c.run("nan"); o.reply["status"] != "error" ||
		!strings.Contains(o.reply["evalue"].(string), "application/json") {
		t.Errorf("a value that is not JSON: %v", o.reply)
	}
	if o := c.runWith(map[string]any{"code": 5}); o.reply["status"] != "error" || o.reply["execution_count"] != 4.0 ||
		o.reply["payload"] == nil {
		t.Errorf("code that is not a string: %v", o.reply)
	}
	if o := c.run("value 1"); o.reply["status"] != "ok" {
		t.Errorf("after all that: %v", o.reply)
	}
}

func TestSilentAndStoreHistory(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	if o := c.runWith(map[string]any{"code": "print x\nvalue 1\nshow a b", "silent": true}); o.types() != "" ||
		o.reply["status"] != "ok" || o.reply["execution_count"] != 0.0 {
		t.Errorf("silent: %q %v", o.types(), o.reply)
	}
	if o := c.runWith(map[string]any{"code": "error E x", "silent": true}); o.types() != "" ||
		o.reply["status"] != "error" {
		t.Errorf("silent error: %q %v", o.types(), o.reply)
	}
	if o := c.runWith(map[string]any{"code": "value 1",
		"store_history": false}); o.types() != "execute_input execute_result" || o.reply["execution_count"] != 0.0 {
		t.Errorf("not stored: %q %v", o.types(), o.reply)
	}
	if o := c.run("value 1"); o.reply["execution_count"] != 1.0 {
		t.Errorf("stored: %v", o.reply)
	}
	h := c.ask("history_request", map[string]any{"hist_access_type": "tail", "n": 10, "output": false, "raw": true})
	if got, _ := json.Marshal(h["history"]); string(got) != `[[1,1,"value 1"]]` {
		t.Errorf("history %s", got)
	}
}

func TestUserExpressionsAndPayload(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	o := c.runWith(map[string]any{"code": "next more code",
		"user_expressions": map[string]any{"a": "value 7", "b": "error NameError no b", "c": "print shown?"}})
	got, _ := json.Marshal(o.reply["user_expressions"])
	want := `{"a":{"data":{"text/plain":"7"},"metadata":{},"status":"ok"},` +
		`"b":{"ename":"NameError","evalue":"no b","status":"error","traceback":["cell:1","error NameError no b"]},"c":{"data":{},"metadata":{},"status":"ok"}}`
	if string(got) != want {
		t.Errorf("user expressions %s\nwant             %s", got, want)
	}
	if o.types() != "execute_input" {
		t.Errorf("messages %q", o.types())
	}
	if payload, _ := json.Marshal(o.reply["payload"]); string(payload) != `[{"replace":true,"source":"set_next_input","text":"more code"}]` {
		t.Errorf("payload %s", payload)
	}
	if o := c.runWith(map[string]any{"code": "error E x",
		"user_expressions": map[string]any{"a": "value 7"}}); len(o.reply["user_expressions"].(map[string]any)) != 0 {
		t.Errorf("expressions were evaluated after an error: %v", o.reply)
	}
}

func TestStopOnError(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	send := func(code string, stop bool) string {
		return c.send("shell", "execute_request", map[string]any{"code": code, "stop_on_error": stop})
	}
	// The first cell holds the kernel until the others have arrived.
	ids := []string{send("deaf\nerror E x", true), send("print 2", true), send("print 3", true)}
	<-k.fake.marks
	c.ask("kernel_info_request", map[string]any{}) // answered while the cell runs, behind the others on the same connection
	close(k.fake.release)
	for i, want := range []string{"error", "aborted", "aborted"} {
		if o := c.finish(ids[i]); o.reply["status"] != want {
			t.Errorf("cell %d: %v, want %s", i, o.reply, want)
		} else if want == "aborted" && o.types() != "" {
			t.Errorf("aborted cell %d published %q", i, o.types())
		}
	}
	if o := c.run("print again"); o.reply["status"] != "ok" || o.reply["execution_count"] != 2.0 {
		t.Errorf("a cell that was sent afterwards: %v", o.reply)
	}
	if calls := k.fake.evaluated(); calls != 2 {
		t.Errorf("%d cells were evaluated, want 2", calls)
	}
	// Without stop_on_error the queue continues.
	a, b := send("error E x", false), send("print on", true)
	if o := c.finish(a); o.reply["status"] != "error" {
		t.Errorf("%v", o.reply)
	}
	if o := c.finish(b); o.reply["status"] != "ok" {
		t.Errorf("%v", o.reply)
	}
}

// A burst of cells that is still under way when the first one fails is aborted; a cell that is sent after the failure
// was seen is not.
func TestStopOnErrorBurst(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{})
	c := k.connect(t)
	for round := range 20 {
		var ids []string
		for range 10 {
			ids = append(ids, c.send("shell", "execute_request", map[string]any{"code": "error E x"}))
		}
		if o := c.finish(ids[0]); o.reply["status"] != "error" {
			t.Fatalf("round %d: the first cell: %v", round, o.reply)
		}
		for _, id := range ids[1:] {
			// sent before or after the failure
			if o := c.finish(id); o.reply["status"] != "error" && o.reply["status"] != "aborted" {
				t.Fatalf("round %d: %v", round, o.reply)
			}
		}
		if o := c.run("value 1"); o.reply["status"] != "ok" {
			t.Fatalf("round %d: the cell after the failure: %v", round, o.reply)
		}
	}
}

func TestWhatAFailureAborts(t *testing.T) {
	t.Parallel()
	failed := time.Now()
	at := func(d time.Duration, layout string) string { return failed.Add(d).Format(layout) }
	for _, test := range []struct {
		session, date string
		want          bool
	}{
		{"s", at(-10*time.Millisecond, "2006-01-02T15:04:05.000000Z07:00"), true},
		{"s", at(10*time.Millisecond, "2006-01-02T15:04:05.000000Z07:00"), false},
		{"s", at(0, "2006-01-02T15:04:05.000Z07:00"), false}, // cut to milliseconds, as browsers do
		{"other", at(-10*time.Millisecond, time.RFC3339Nano), false},
		{"s", "yesterday", false},
		{"s", "", false},
	} {
		st := newState()
		st.failed, st.session = failed, "s"
		r := &request{Message: &wire.Message{Header: wire.Header{Session: test.session, Date: test.date}}}
		st.add(r)
		if r.isAborted != test.want {
			t.Errorf("session %q, date %q: aborted %v", test.session, test.date, r.isAborted)
		}
		st.failed = failed.Add(-time.Hour)
		old := &request{Message: &wire.Message{Header: wire.Header{Session: "s",
			Date: failed.Add(-2 * time.Hour).Format(time.RFC3339Nano)}}}
		if st.add(old); old.isAborted {
			t.Error("an old failure aborts")
		}
	}
}

// A failure aborts a cell that is noted as waiting and is not in the queue yet.
func TestAbortOfAnArrivingCell(t *testing.T) {
	t.Parallel()
	s := &server{state: newState(), cells: newQueue()}
	first, arriving := &request{Message: &wire.Message{}}, &request{Message: &wire.Message{}}
	s.state.add(first)
	s.skip(first) // it begins
	s.state.add(arriving)
	s.abortQueued(first)
	s.cells.put(arriving)
	if r := s.cells.next(t.Context()); r != arriving || !s.isAborted(r) {
		t.Errorf("%+v", r)
	}
	if s.isAborted(first) {
		t.Error("the cell that failed is aborted, too")
	}
}

// A query waits for a cell that came just before it, but not for one that has been running for long.
func TestQueriesWaitForNewCells(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waited := func(st *state) time.Duration {
			begin := time.Now()
			st.waitIdle(t.Context(), queryPatience)
			return time.Since(begin)
		}
		st := newState()
		if d := waited(st); d != 0 {
			t.Errorf("without a cell: %v", d)
		}
		st.add(&request{Message: &wire.Message{}})
		if d := waited(st); d != queryPatience {
			t.Errorf("behind a new cell that continues: %v", d)
		}
		if d := waited(st); d != 0 {
			t.Errorf("next to a cell that continues: %v", d)
		}
		time.AfterFunc(queryPatience/4, st.done)
		st.arrived = time.Now()
		if d := waited(st); d != queryPatience/4 {
			t.Errorf("behind a cell that ends: %v", d)
		}
	})
}

func TestDisplay(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	o := c.run("print one\nshow id <b>&</b>\nprint two\nupdate id <i>\nclear wait\nprint three")
	if got, want := o.types(),
		"execute_input stream display_data stream update_display_data clear_output stream"; got != want {
		t.Fatalf("messages %q, want %q", got, want)
	}
	shown := fields(t, o.iopub[2])
	if shown["data"].(map[string]any)["text/html"] != "<b>&</b>" ||
		shown["transient"].(map[string]any)["display_id"] != "id" || shown["metadata"] == nil {
		t.Errorf("display_data %v", shown)
	}
	if updated := fields(t, o.iopub[4]); updated["transient"].(map[string]any)["display_id"] != "id" {
		t.Errorf("update_display_data %v", updated)
	}
	if cleared := fields(t, o.iopub[5]); cleared["wait"] != true {
		t.Errorf("clear_output %v", cleared)
	}
	if o := c.run("badupdate x"); o.reply["status"] != "error" {
		t.Errorf("update without display id: %v", o.reply)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		answer := func(parent []byte, value string) {
			c.sendWith("stdin", "input_reply", parent, map[string]any{"value": value})
		}
		ask := func(code string) (string, *wire.Message) {
			id := c.send("shell", "execute_request", map[string]any{"code": code})
			m := c.receive(c.stdin, "stdin")
			if m.Header.MsgType != "input_request" || m.Parent.MsgID != id {
				t.Fatalf("%s with parent %s", m.Header.MsgType, m.Parent.MsgID)
			}
			return id, m
		}
		id, m := ask("print first\ninput Name?")
		if q := fields(t, m); q["prompt"] != "Name?" || q["password"] != false {
			t.Errorf("input_request %v", q)
		}
		answer([]byte(`{"msg_id":"somebody else's"}`), "stale")
		answer(m.RawHeader, "Ünal")
		if o := c.finish(id); o.stdout != "first\nread \"Ünal\"\n" {
			t.Errorf("stdout %q", o.stdout)
		}
		id, m = ask("password Secret?")
		if q := fields(t, m); q["password"] != true {
			t.Errorf("input_request %v", q)
		}
		answer(nil, "no parent") // as jupyter_client's input()
		if o := c.finish(id); o.stdout != "read \"no parent\"\n" {
			t.Errorf("stdout %q", o.stdout)
		}
		id, m = ask("input ?")
		answer(m.RawHeader, endOfInput)
		if o := c.finish(id); o.stdout != "read \"end of input\"\n" {
			t.Errorf("stdout %q", o.stdout)
		}
		if o := c.runWith(map[string]any{"code": "input ?",
			"allow_stdin": false}); !strings.Contains(o.reply["evalue"].(string), "allow_stdin") {
			t.Errorf("without stdin: %v", o.reply)
		}
		// An interrupt ends the wait for input; an answer that comes too late is dropped.
		id, m = ask("input ?")
		c.send("control", "interrupt_request", map[string]any{})
		if o := c.finish(id); o.reply["evalue"] != ErrInterrupted.Error() {
			t.Errorf("interrupted input: %v", o.reply)
		}
		answer(m.RawHeader, "too late")
		id, m = ask("input ?")
		answer(m.RawHeader, "in time")
		if o := c.finish(id); o.stdout != "read \"in time\"\n" {
			t.Errorf("stdout %q", o.stdout)
		}
	})
}

// A client without a stdin channel must not hang the cell forever; one that goes away neither.
func TestInputFromGoneClient(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	id := c.send("shell", "execute_request", map[string]any{"code": "input ?"})
	c.receive(c.stdin, "stdin")
	c.sockets["stdin"].Close()
	if o := c.finish(id); !strings.Contains(o.reply["evalue"].(string), "disconnected") {
		t.Errorf("%v", o.reply)
	}
}
