package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endless are cells that only an interrupt ends. Those of the same kind are named alike up to the colon.
var endless = map[string]string{
	"loop: counting":           "for i := 0; ; i++ { junk = i }",
	"loop: empty":              "for { }",
	"loop: range":              "for i := range 1 << 60 { junk = i }",
	"loop: function":           "fib(90)",
	"loop: closure":            "f := func(n int) int { return n + 1 }\nfor { junk = f(junk) }",
	"loop: recovering":         "for { func() { defer func() { recover() }(); for { junk++ } }() }",
	"print: lines":             "for { fmt.Println(\"line\", junk); junk++ }",
	"print: compiled":          "for { fmt.Print(g.Name) }",
	"sleep: one":               "time.Sleep(time.Hour)",
	"sleep: many":              "for { time.Sleep(time.Millisecond); junk++ }",
	"wait: channel":            "<-make(chan int)",
	"wait: select":             "select { }",
	"wait: shell":              "$sleep 1000",
	"train: one long epoch":    "train(1 << 30)",
	"train: short epochs":      "for { train(3) }",
	"train: evaluation":        "for { eval.Run(ctx, m, g, eval.Settings{}) }",
	"run: logged training":     "(&experiments.Runner{Tracker: tk}).Train(ctx, cfg)",
	"sql: sleeping":            "%%sql\nselect pg_sleep(1000)",
	"sql: computing":           "%%sql\nselect count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b",
	"sql: waiting for a lock":  "%%sql\nselect pg_sleep(0.001 * a) from generate_series(1, 1000000) a",
	"input: asking":            "var answer string\nfmt.Scanln(&answer)",
	"loop: background besides": "stop := make(chan bool)\ngo func() { for { select { case <-stop: return; default: time.Sleep(time.Millisecond) } } }()\ndefer func() { close(stop) }()\nfor { junk++ }",
}

// latencies are times from sending an interrupt to the reply of its cell.
type latencies []time.Duration

func (l latencies) String() string {
	slices.Sort(l)
	return fmt.Sprintf("%4d: median %7.2f ms, 99%% %7.2f ms, max %7.2f ms", len(l), milliseconds(l[len(l)/2]),
		milliseconds(l[len(l)*99/100]), milliseconds(l[len(l)-1]))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// TestSoakInterrupts interrupts cells of every kind at random moments, by message and by signal: each ends as
// interrupted, the state is kept, the kernel lives.
func TestSoakInterrupts(t *testing.T) {
	b := startReal(t)
	c := b.connect(t)
	c.ok(preparation)
	c.ok("%%sql\nselect 1") // the connections to the database are not what is measured
	c.ok(`import ("os"; "github.com/spherelab/spherelab/experiments/config"; "github.com/spherelab/spherelab/tracker/open")
tk, err := open.Tracker(ctx, os.Getenv("DATABASE_URL"), tracker.Options{DataDir: os.Getenv("SPHERELAB_HOME")})
if err != nil { panic(err) }
cfg, err := config.Load(config.Layers{Set: []string{"train.epochs=1000000", "dimension=16"}})
if err != nil { panic(err) }`)
	var kinds []string
	for name := range endless {
		kinds = append(kinds, name)
	}
	slices.Sort(kinds)
	random := rand.New(rand.NewPCG(1, 2))
	late := map[string]latencies{}
	var doing string
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("at the end ", doing)
		}
	})
	for i := range full(100) {
		kind := kinds[i%len(kinds)]
		if i >= len(kinds) {
			kind = kinds[random.IntN(len(kinds))]
		}
		id := c.begin(endless[kind])
		time.Sleep(time.Duration(random.IntN(30_000)) * time.Microsecond) // the moment is what is tested
		sent := time.Now()
		bySignal := random.IntN(4) == 0
		doing = fmt.Sprintf("interrupt %d, %s, by signal %v", i, kind, bySignal)
		if bySignal {
			b.signal(t, syscall.SIGINT)
		} else {
			c.send("control", "interrupt_request", map[string]any{})
		}
		reply := fields(t, c.reply(c.shell, "shell", id))
		took := time.Since(sent)
		b.mustLive(t)
		if reply["status"] != "error" || reply["ename"] != "Interrupted" {
			t.Fatal(reply)
		}
		group, _, _ := strings.Cut(kind, ":")
		late[group] = append(late[group], took)
		late["all"] = append(late["all"], took)
		c.stillAsLeft(i + 1)
		c.drop()
	}
	for _, group := range []string{"loop", "print", "sleep", "wait", "train", "run", "sql", "input", "all"} {
		t.Logf("%-6s %v", group, late[group])
	}
	shutDown(t, b, c)
}

// TestSoakInterruptsAtTheEnd interrupts cells that are about to end: each either ends as interrupted or in order, and
// the next one is never hit.
func TestSoakInterruptsAtTheEnd(t *testing.T) {
	t.Parallel()
	b := startReal(t)
	c := b.connect(t)
	c.ok(preparation)
	short := []string{"for i := 0; i < 20000; i++ { junk = i }", "time.Sleep(3 * time.Millisecond)", "train(1)",
		"fmt.Println(junk)", "%%sql\nselect 1", "1+1"}
	random := rand.New(rand.NewPCG(3, 4))
	interrupted := 0
	for i := range full(100) {
		id := c.begin(short[random.IntN(len(short))])
		time.Sleep(time.Duration(random.IntN(5_000)) * time.Microsecond)
		ask := c.send("control", "interrupt_request", map[string]any{})
		reply := fields(t, c.reply(c.shell, "shell", id))
		c.reply(c.control, "control", ask)
		switch {
		case reply["ename"] == "Interrupted":
			interrupted++
		case reply["status"] != "ok":
			t.Fatalf("interrupt %d: %v", i, reply)
		}
		c.stillAsLeft(i + 1)
		c.drop()
	}
	t.Logf("%d of %d cells were interrupted", interrupted, full(100))
	shutDown(t, b, c)
}

func shutDown(t *testing.T, b *realKernel, c *client) {
	t.Helper()
	c.send("control", "shutdown_request", map[string]any{"restart": false})
	if err := b.ended(t); err != nil {
		t.Errorf("after shutdown_request: %v", err)
	}
}

// session are cells like those of a day's work; the last of each kind replaces what the one before left.
var session = []string{
	"y := 1",
	"y + 1",
	"func f(n int) int { return n * 2 }",
	"f(y)",
	"type T struct { A int }",
	"t := T{y}\nfmt.Println(t.A)",
	"for i := range 10 { y += i }",
	"undefined(1)",
	"panic(\"p\")",
	"s := make([]float64, 100000)",
	"c := make(chan int)\ngo func() { c <- 1 }()\n<-c",
	"Display(display.HTML(\"<b>a</b>\"))",
	"for i := 0; i < 100; i++ { fmt.Println(\"line\", i) }",
	"%%sql\nselect * from generate_series(1, 100)",
	"train(2)",
	"m, err = sphere.New(m.Settings(), g, 1)",
	"%vars",
}

// TestSoakMemory: what cells leave behind does not add up.
func TestSoakMemory(t *testing.T) {
	t.Parallel()
	b := startReal(t)
	c := b.connect(t)
	c.ok(preparation)
	c.ok("import \"runtime/debug\"")
	n := full(1000)
	var first int
	begin := time.Now()
	for i := range n {
		if i == n/5 {
			c.ok("debug.FreeOSMemory()")
			first = b.resident(t)
		}
		code := session[i%len(session)]
		if o := c.run(code); o.reply["status"] != "ok" && code != "undefined(1)" && code != "panic(\"p\")" {
			t.Fatalf("cell %d, %s: %v", i, code, o.reply)
		}
		if i%100 == 0 {
			c.ask("complete_request", map[string]any{"code": "sphere.", "cursor_pos": 7})
			c.ask("inspect_request", map[string]any{"code": "fmt.Println", "cursor_pos": 5})
		}
		c.drop()
	}
	took := time.Since(begin)
	c.ok("debug.FreeOSMemory()")
	last := b.resident(t)
	t.Logf("%d cells in %v: %d kB after a fifth of them, %d kB at the end, %+.1f%%", n, took.Round(time.Millisecond),
		first, last, 100*float64(last-first)/float64(first))
	if last > first+first/5 {
		t.Errorf("memory grew from %d kB to %d kB", first, last)
	}
	shutDown(t, b, c)
}

// Test100000Lines: so much output comes complete and in order, and control is served meanwhile.
func Test100000Lines(t *testing.T) {
	b := startReal(t)
	c := b.connect(t)
	c.ok("import \"fmt\"")
	const n = 100000
	begin := time.Now()
	id := c.send("shell", "execute_request",
		map[string]any{"code": fmt.Sprintf("for i := 0; i < %d; i++ { fmt.Println(\"line\", i) }", n)})
	var late latencies
	done := make(chan outcome)
	go func() { done <- c.finish(id) }()
	var o outcome
	for running := true; running; {
		sent := time.Now()
		c.reply(c.control, "control", c.send("control", "kernel_info_request", map[string]any{}))
		late = append(late, time.Since(sent))
		select {
		case o = <-done:
			running = false
		default:
		}
	}
	took := time.Since(begin)
	lines := strings.Split(strings.TrimSuffix(o.stdout, "\n"), "\n")
	if len(lines) != n || o.reply["status"] != "ok" {
		t.Fatalf("%d lines, %v", len(lines), o.reply)
	}
	for i, line := range lines {
		if line != fmt.Sprint("line ", i) {
			t.Fatalf("line %d is %q", i, line)
		}
	}
	t.Logf("%d lines in %d messages, %v; kernel_info on control meanwhile %v", n, len(o.iopub),
		took.Round(time.Millisecond), late)
	shutDown(t, b, c)
}
