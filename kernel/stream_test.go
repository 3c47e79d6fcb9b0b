package kernel

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// 100,000 lines come complete, in order and in few messages.
func TestManyLines(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		const n = 100000
		begin := time.Now()
		o := c.run(fmt.Sprint("lines ", n))
		took := time.Since(begin)
		lines := strings.Split(strings.TrimSuffix(o.stdout, "\n"), "\n")
		if len(lines) != n {
			t.Fatalf("%d lines came", len(lines))
		}
		for i, line := range lines {
			if line != fmt.Sprintf("line %06d", i) {
				t.Fatalf("line %d is %q", i, line)
			}
		}
		t.Logf("%d messages, %v", len(o.iopub), took)
		// Batches are of 64 kB or of 20 ms.
		if maximum := 2 + len(o.stdout)/batchSize + int(took/(20*time.Millisecond)) + 10; len(o.iopub) > maximum {
			t.Errorf("%d messages, at most %d were expected", len(o.iopub), maximum)
		}
	})
}

// Output of a goroutine that outlives its cell belongs to the last cell, also after the next one has run.
func TestOutputAfterTheCell(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	stream := func(id, want string) {
		t.Helper()
		k.fake.later <- struct{}{}
		<-k.fake.printed
		m := c.next(id)
		if m.Header.MsgType != "stream" || fields(t, m)["text"] != want {
			t.Errorf("%s %s", m.Header.MsgType, m.Content)
		}
	}
	first := c.run("later one\nlater two\nlater three")
	k.fake.later <- struct{}{}
	<-k.fake.printed
	m := c.next(first.id)
	text := fields(t, m)["text"].(string)
	second := c.run("print x")
	if second.stdout != "x\n" {
		t.Errorf("stdout %q", second.stdout)
	}
	// A silent request is shown nowhere, so it does not take the output.
	c.runWith(map[string]any{"code": "# silent", "silent": true})
	rest := map[string]bool{"one\n": true, "two\n": true, "three\n": true}
	delete(rest, text)
	k.fake.later <- struct{}{}
	<-k.fake.printed
	m = c.next(second.id)
	text = fields(t, m)["text"].(string)
	if !rest[text] {
		t.Errorf("text %q", text)
	}
	delete(rest, text)
	for last := range rest {
		stream(second.id, last)
	}
}

// stdout and stderr keep their order, and a character that is written in pieces stays whole.
func TestStreamsKeepOrder(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	o := c.run("print 1\neprint 2\nprint 3\nraw e282\nraw ac0a\nraw ff\neprint 4")
	var got []string
	for _, m := range o.iopub[1:] {
		f := fields(t, m)
		got = append(got, fmt.Sprintf("%s:%s", f["name"], f["text"]))
	}
	joined := strings.Join(got, "|")
	for joined != strings.ReplaceAll(joined, "|stdout:", "") && strings.Contains(joined, "stdout:1\n|stdout:") {
		joined = strings.Replace(joined, "|stdout:", "", 1)
	}
	if want := "stdout:1\n|stderr:2\n|stdout:3\n€\n\ufffd|stderr:4\n"; joined != want {
		t.Errorf("%q\nwant %q", joined, want)
	}
}

// recorder collects what an outbox sends.
type recorder struct {
	mu   sync.Mutex
	sent []segment
	gate chan struct{} // when set, each send takes a value from it
}

func (r *recorder) send(s segment) {
	if r.gate != nil {
		<-r.gate
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, s)
}

func (r *recorder) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, s := range r.sent {
		texts = append(texts, string(s.text))
	}
	return texts
}

func TestOutboxBatchesByTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		o := newOutbox(20*time.Millisecond, r.send)
		go o.run(t.Context())
		w := writer{o: o, stream: "stdout"}
		for range 10 {
			fmt.Fprint(w, "a")
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if got := r.texts(); len(got) != 0 {
			t.Errorf("sent after 10 ms: %q", got)
		}
		time.Sleep(11 * time.Millisecond)
		synctest.Wait()
		if got := r.texts(); len(got) != 1 || got[0] != "aaaaaaaaaa" {
			t.Errorf("sent after 21 ms: %q", got)
		}
		fmt.Fprint(w, "\xe2\x82") // the beginning of a euro sign
		time.Sleep(21 * time.Millisecond)
		synctest.Wait()
		fmt.Fprint(w, "\xacb")
		time.Sleep(21 * time.Millisecond)
		synctest.Wait()
		if got := r.texts(); len(got) != 2 || got[1] != "€b" {
			t.Errorf("sent %q", got)
		}
		fmt.Fprint(w, strings.Repeat("x", batchSize))
		synctest.Wait() // no time passes
		if got := r.texts(); len(got) != 3 || len(got[2]) != batchSize {
			t.Errorf("a full batch waits: %d messages", len(got))
		}
		o.flush(true)
	})
}

// A writer that is faster than what is sent waits, and nothing is lost; release lets it go.
func TestOutboxBackPressure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{gate: make(chan struct{})}
		o := newOutbox(20*time.Millisecond, r.send)
		go o.run(t.Context())
		const total = 10 * outboxLimit
		written := make(chan int, 1)
		go func() {
			n, _ := writer{o: o, stream: "stdout"}.Write([]byte(strings.Repeat("x", total)))
			written <- n
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		select {
		case n := <-written:
			t.Fatalf("%d bytes were taken while nothing was sent", n)
		default:
		}
		close(r.gate)
		if n := <-written; n != total {
			t.Errorf("%d bytes were taken", n)
		}
		o.flush(true)
		if got := len(strings.Join(r.texts(), "")); got != total {
			t.Errorf("%d bytes were sent", got)
		}

		r.gate = make(chan struct{})
		go func() {
			n, err := writer{o: o, stream: "stdout"}.Write([]byte(strings.Repeat("x", total)))
			if err != ErrInterrupted {
				t.Errorf("released writer: %v", err)
			}
			written <- n
		}()
		time.Sleep(time.Hour)
		o.release()
		if n := <-written; n >= total {
			t.Errorf("a released writer wrote %d bytes", n)
		}
		close(r.gate)
	})
}

func TestIncomplete(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 0, "€": 0, "a\xe2": 1, "a\xe2\x82": 2, "\xf0\x9f\x98": 3, "😀": 0,
		"\xff": 0, "\x82": 0, "\x82\x82\x82\x82": 0, "a\xc3": 1} {
		if got := incomplete([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestOrderOfFloods: the order of both streams is kept as long as a front end can take that many messages. Behind more,
// each stream is by itself, and nothing is lost.
func TestOrderOfFloods(t *testing.T) {
	t.Parallel()
	for _, turns := range []int{ordered/2 - 1, 5 * ordered} {
		var sent []segment
		o := newOutbox(time.Hour, func(s segment) { sent = append(sent, s) })
		r := &request{}
		o.begin(r, false)
		want := map[string]string{}
		for i := range turns {
			for _, stream := range []string{"stdout", "stderr"} {
				text := fmt.Sprintf("%d\n", i)
				if _, err := o.write(stream, nil, []byte(text)); err != nil {
					t.Fatal(err)
				}
				want[stream] += text
			}
		}
		o.flush(true)
		got := map[string]string{}
		for i, s := range sent {
			got[s.stream] += string(s.text)
			if i < ordered && (s.stream == "stdout") != (i%2 == 0) {
				t.Fatalf("message %d is of %s", i, s.stream)
			}
		}
		if got["stdout"] != want["stdout"] || got["stderr"] != want["stderr"] {
			t.Error("a stream is not as it was written")
		}
		if maximum := min(2*turns, ordered); len(sent) != maximum {
			t.Errorf("%d messages of %d turns, want %d", len(sent), turns, maximum)
		}
	}
}
