package kernel

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestProtocolOfTheProgram walks through what the protocol promises with the real interpreter behind it.
func TestProtocolOfTheProgram(t *testing.T) {
	t.Parallel()
	b := startReal(t)
	c := b.connect(t)
	c.ok(preparation)

	t.Run("user expressions", func(t *testing.T) { evaluateExpressions(t, c) })

	t.Run("silent", func(t *testing.T) { runSilently(t, c) })

	t.Run("stop on error", func(t *testing.T) { stopOnError(t, c) })

	t.Run("displays", func(t *testing.T) { updateDisplays(t, c) })

	t.Run("input", func(t *testing.T) { readInput(t, c) })

	t.Run("goroutine after the cell", func(t *testing.T) { printAfterCell(t, c) })

	t.Run("queries", func(t *testing.T) { askQueries(t, c) })

	t.Run("next to a training", func(t *testing.T) { askNextToTraining(t, c) })
	shutDown(t, b, c)
}

// evaluateExpressions: a request may name expressions, whose values and faults are in the reply.
func evaluateExpressions(t *testing.T, c *client) {
	t.Helper()
	o := c.runWith(map[string]any{"code": "y := 20", "user_expressions": map[string]any{
		"number": "y + 1", "page": "display.HTML(\"<b>b</b>\")", "unknown": "nobody",
		"table": "fmt.Print(\"not shown\")", "panics": "panic(\"p\")"}})
	e := o.reply["user_expressions"].(map[string]any)
	part := func(name string) map[string]any { return e[name].(map[string]any) }
	text := func(name, mime string) any {
		data, _ := part(name)["data"].(map[string]any)
		return data[mime]
	}
	if part("number")["status"] != "ok" || text("number", "text/plain") != "21" {
		t.Errorf("number: %v", part("number"))
	}
	if part("page")["status"] != "ok" || text("page", "text/html") != "<b>b</b>" {
		t.Errorf("page: %v", part("page"))
	}
	for _, name := range []string{"unknown", "panics"} {
		if part(name)["status"] != "error" || part(name)["ename"] == "" ||
			len(part(name)["traceback"].([]any)) == 0 {
			t.Errorf("%s: %v", name, part(name))
		}
	}
	if o.stdout != "" || o.types() != "execute_input" {
		t.Errorf("shown: %q, %q", o.types(), o.stdout)
	}
}

// runSilently: a silent cell is neither shown nor counted.
func runSilently(t *testing.T, c *client) {
	t.Helper()
	before := c.run("1").reply["execution_count"]
	o := c.runWith(map[string]any{"code": "fmt.Println(\"hidden\")\ny = 5\ny", "silent": true})
	if o.types() != "" || o.reply["execution_count"] != before {
		t.Errorf("%q %v, count before %v", o.types(), o.reply, before)
	}
	if got := c.ok("y"); got != "5" {
		t.Errorf("y is %s", got)
	}
}

// stopOnError: an error aborts the cells that wait, if its request says so.
func stopOnError(t *testing.T, c *client) {
	t.Helper()
	send := func(code string, stop bool) string {
		return c.send("shell", "execute_request", map[string]any{"code": code, "stop_on_error": stop})
	}
	ids := []string{send("time.Sleep(200 * time.Millisecond)\npanic(\"first\")", true), send("y = 6", true),
		send("y = 7", true)}
	for i, want := range []string{"error", "aborted", "aborted"} {
		if o := c.finish(ids[i]); o.reply["status"] != want {
			t.Errorf("cell %d: %v", i, o.reply)
		}
	}
	ids = []string{send("panic(\"first\")", false), send("y = 8", true)}
	for i, want := range []string{"error", "ok"} {
		if o := c.finish(ids[i]); o.reply["status"] != want {
			t.Errorf("cell %d, not stopping: %v", i, o.reply)
		}
	}
	if got := c.ok("y"); got != "8" {
		t.Errorf("y is %s", got)
	}
}

// updateDisplays shows, replaces and clears output.
func updateDisplays(t *testing.T, c *client) {
	t.Helper()
	o := c.run("Display(display.WithID(display.HTML(\"<i>1</i>\"), \"d\"))\nfmt.Println(\"between\")\nUpdateDisplay(display.WithID(display.HTML(\"<i>2</i>\"), \"d\"))\nClearOutput(true)\nfmt.Println(\"after\")")
	if got, want := o.types(),
		"execute_input display_data stream update_display_data clear_output stream"; got != want {
		t.Fatalf("%v: %q, want %q", o.reply, got, want)
	}
	update := fields(t, o.iopub[3])
	if update["transient"].(map[string]any)["display_id"] != "d" ||
		update["data"].(map[string]any)["text/html"] != "<i>2</i>" {
		t.Errorf("%v", update)
	}
	if fields(t, o.iopub[4])["wait"] != true {
		t.Errorf("%s", o.iopub[4].Content)
	}
	if o := c.run("UpdateDisplay(display.HTML(\"x\"))"); o.reply["status"] != "error" && o.value(t) == "" {
		t.Errorf("an update without id goes unnoticed: %v", o.reply)
	}
}

// readInput: cells read lines, an interrupt ends the wait, and a late reply reaches no other cell.
func readInput(t *testing.T, c *client) {
	t.Helper()
	id := c.begin("fmt.Print(\"name? \")\nvar name string\nfmt.Scanln(&name)\nname")
	m := c.receive(c.stdin, "stdin")
	c.sendWith("stdin", "input_reply", m.RawHeader, map[string]any{"value": "Ünal"})
	if o := c.finish(id); o.value(t) != "Ünal" || o.stdout != "name? " {
		t.Errorf("%v, value %q, stdout %q", o.reply, o.value(t), o.stdout)
	}
	id = c.begin("fmt.Scanln(&name)")
	m = c.receive(c.stdin, "stdin")
	c.interrupt()
	if o := c.finish(id); o.reply["ename"] != "Interrupted" {
		t.Errorf("interrupted input: %v", o.reply)
	}
	c.sendWith("stdin", "input_reply", m.RawHeader, map[string]any{"value": "late"})
	id = c.begin("fmt.Scanln(&name)\nname")
	m = c.receive(c.stdin, "stdin")
	c.sendWith("stdin", "input_reply", m.RawHeader, map[string]any{"value": "next"})
	if o := c.finish(id); o.value(t) != "next" {
		t.Errorf("%v, value %q", o.reply, o.value(t))
	}
	if o := c.runWith(map[string]any{"code": "fmt.Scanln(&name)",
		"allow_stdin": false}); o.reply["status"] != "error" {
		t.Errorf("without stdin: %v", o.reply)
	}
}

// printAfterCell: what a goroutine prints belongs to the cell that started it, also after its end.
func printAfterCell(t *testing.T, c *client) {
	t.Helper()
	first := c.run("speak := make(chan string)\ngo func() { for s := range speak { fmt.Println(s) } }()")
	if o := c.run("speak <- \"hello\"\ntime.Sleep(200 * time.Millisecond)"); o.stdout != "" {
		t.Errorf("the cell that runs has the output %q of a goroutine of another", o.stdout)
	}
	if m := c.next(first.id); m.Header.MsgType != "stream" || fields(t, m)["text"] != "hello\n" {
		t.Errorf("%s %s", m.Header.MsgType, m.Content)
	}
	// Later still, when no cell runs at all.
	o := c.run("go func() { time.Sleep(100 * time.Millisecond); fmt.Println(\"late\") }()")
	if o.stdout != "" {
		t.Errorf("stdout %q", o.stdout)
	}
	if m := c.next(o.id); m.Header.MsgType != "stream" || fields(t, m)["text"] != "late\n" {
		t.Errorf("%s %s", m.Header.MsgType, m.Content)
	}
	// A panic in a goroutine is reported and ends only the goroutine.
	o = c.run("go func() { time.Sleep(50 * time.Millisecond); panic(\"in a goroutine\") }()")
	if m := c.next(o.id); m.Header.MsgType != "stream" || !strings.Contains(string(m.Content), "in a goroutine") {
		t.Errorf("%s %s", m.Header.MsgType, m.Content)
	}
}

// askQueries checks completion, documentation, completeness, history and comms.
func askQueries(t *testing.T, c *client) {
	t.Helper()
	r := c.ask("complete_request", map[string]any{"code": "größe := \"😀\"; fmt.Printl",
		"cursor_pos": len([]rune("größe := \"😀\"; fmt.Printl"))})
	if matches, _ := json.Marshal(r["matches"]); !strings.Contains(string(matches), "Println") ||
		r["cursor_start"] != 18.0 || r["cursor_end"] != 24.0 {
		t.Errorf("%v", r)
	}
	if r := c.ask("inspect_request", map[string]any{"code": "sphere.NewTrainer",
		"cursor_pos": 12}); r["found"] != true ||
		!strings.Contains(r["data"].(map[string]any)["text/plain"].(string), "NewTrainer") {
		t.Errorf("%v", r)
	}
	for code, want := range map[string]string{"for {": "incomplete", "1 + 1": "complete", "func f() }": "invalid"} {
		if r := c.ask("is_complete_request", map[string]any{"code": code}); r["status"] != want {
			t.Errorf("%q: %v", code, r)
		}
	}
	number := c.run("6 * 7").reply["execution_count"]
	r = c.ask("history_request", map[string]any{"hist_access_type": "tail", "n": 1, "output": true})
	if got, _ := json.Marshal(r["history"]); string(got) != string(mustJSON(t,
		[]any{[]any{1, number, []any{"6 * 7", "42"}}})) {
		t.Errorf("%s", got)
	}
	if r := c.ask("comm_info_request", map[string]any{}); len(r["comms"].(map[string]any)) != 0 {
		t.Errorf("%v", r)
	}
	if o := c.outputs(c.send("shell", "comm_open", map[string]any{"comm_id": "w", "target_name": "jupyter.widget",
		"data": map[string]any{}})); o.types() != "comm_close" {
		t.Errorf("%q", o.types())
	}
}

// askNextToTraining sends requests while a cell trains.
func askNextToTraining(t *testing.T, c *client) {
	t.Helper()
	id := c.begin("train(1 << 30)")
	for range 50 {
		c.reply(c.control, "control", c.send("control", "kernel_info_request", map[string]any{}))
		if r := c.ask("complete_request", map[string]any{"code": "sphere.New",
			"cursor_pos": 10}); len(r["matches"].([]any)) < 2 {
			t.Fatalf("%v", r)
		}
	}
	c.interrupt()
	if o := c.finish(id); o.reply["ename"] != "Interrupted" {
		t.Errorf("%v", o.reply)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	expect.NoError(t, err)
	return b
}
