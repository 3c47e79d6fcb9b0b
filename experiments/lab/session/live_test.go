package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments/progress"
)

// simulated is a clock that only the test moves.
type simulated struct{ t time.Time }

func (s *simulated) now() time.Time { return s.t }

// TestLiveIsThrottled trains with a clock of its own: epochs and pictures take the times that the test says. All
// pictures but the first and the last must fit in a hundredth of the time, and no two come within a quarter of a
// second.
func TestLiveIsThrottled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ epoch, picture time.Duration }{
		{time.Millisecond, 500 * time.Microsecond}, {10 * time.Millisecond, 2 * time.Millisecond},
		{100 * time.Millisecond, 30 * time.Millisecond},
		{2 * time.Second, 5 * time.Millisecond}, {time.Minute, 50 * time.Millisecond},
	} {
		clock := &simulated{time.Unix(1e9, 0)}
		var at []time.Time
		l := newLive(func(map[string]interface{}) {
			at = append(at, clock.t)
			clock.t = clock.t.Add(c.picture)
		}, clock.now, nil)
		began := clock.t
		const epochs = 3000
		l.Event(progress.Event{Event: progress.RunStarted, RunID: "0123456789", Epochs: epochs})
		for epoch := 1; epoch <= epochs; epoch++ {
			clock.t = clock.t.Add(c.epoch)
			l.Event(progress.Event{Event: progress.EpochDone, Epoch: epoch, Epochs: epochs,
				Metrics: map[string]float64{"loss": 1}})
			if epoch%10 == 0 {
				l.Event(progress.Event{Event: progress.Validated, Epoch: epoch, Metrics: map[string]float64{}})
				l.Event(progress.Event{Event: progress.Saved, Epoch: epoch})
			}
		}
		l.Event(progress.Event{Event: progress.RunFinished, Epoch: epochs, Metrics: map[string]float64{}})
		total := clock.t.Sub(began)
		spent := time.Duration(len(at)) * c.picture
		if spent != l.spent || len(at) != l.renders {
			t.Fatalf("%v: %d pictures in %v, counted %d in %v", c, len(at), spent, l.renders, l.spent)
		}
		if spent*100 > total {
			t.Errorf("%v: %d pictures take %v of %v", c, len(at), spent, total)
		}
		for i := 1; i < len(at)-1; i++ {
			if at[i].Sub(at[i-1]) < showEvery {
				t.Errorf("%v: two pictures within %v", c, at[i].Sub(at[i-1]))
			}
		}
		// They do come: at least a third of what time and cost allow.
		if least := int(min(total/showEvery, total/(c.picture*showCost), epochs) / 3); len(at) < least {
			t.Errorf("%v: only %d pictures in %v, at least %d are affordable", c, len(at), total, least)
		}
	}
}

// TestLiveShows: what a picture says in each phase, with names escaped.
func TestLiveShows(t *testing.T) {
	t.Parallel()
	clock := &simulated{time.Unix(1e9, 0)}
	var shown []map[string]interface{}
	l := newLive(func(d map[string]interface{}) { shown = append(shown, d) }, clock.now,
		[]string{"eval.every = 0: the graph has no validation facts"})
	last := func() (text, html string) {
		d := shown[len(shown)-1]
		return d["text/plain"].(string), d["text/html"].(string)
	}
	event := func(e progress.Event, words ...string) {
		t.Helper()
		clock.t = clock.t.Add(time.Minute)
		l.Event(e)
		text, html := last()
		for _, word := range words {
			if !strings.Contains(text, word) && !strings.Contains(html, word) {
				t.Errorf("after %s there is no %q in\n%s\n%s", e.Event, word, text, html)
			}
		}
	}
	event(progress.Event{Event: progress.RunStarted, RunID: "0123456789", RunName: "<b>mine</b>",
		Model: "sphere-2d", Variant: "clean", Data: "toy", Epochs: 10},
		"SpherE-2D (clean) on toy", "run 01234567", "&lt;b&gt;mine", "epoch 0 of 10", "no validation facts")
	for epoch := 1; epoch <= 9; epoch++ {
		event(progress.Event{Event: progress.EpochDone, Epoch: epoch,
			Metrics: map[string]float64{"loss": 1 / float64(epoch), "system/steps_per_second": 12}},
			fmt.Sprintf("epoch %d of 10", epoch), "12 steps/s", "left")
	}
	event(progress.Event{Event: progress.Validated, Epoch: 9,
		Metrics: map[string]float64{"valid/head_f1": .5, "valid/tail_f1": .25}}, "head F1 0.500, tail F1 0.250",
		`alt="F1 of validation" src="data:image/svg+xml;base64,`)
	if where := l.where(); !strings.Contains(where, "after epoch 9 of 10") {
		t.Errorf("where: %s", where)
	}
	event(progress.Event{Event: progress.Evaluating, Done: 30, Total: 40}, "evaluating, 30 of 40 queries",
		"width:75.0%")
	event(progress.Event{Event: progress.RunFinished,
		Metrics: map[string]float64{"test/head_f1": .4, "test/tail_f1": .3}}, "finished in", "test: head F1 0.400")
	l.fail(&Error{Name: Interrupted})
	if text, _ := last(); !strings.Contains(text, "interrupted") {
		t.Errorf("after an interrupt: %s", text)
	}
	for _, d := range shown {
		if html := d["text/html"].(string); strings.Contains(html, "<b>mine") {
			t.Fatal("a name is markup")
		}
	}
}

// TestLiveGoesOn: a resumed training shows what was logged before.
func TestLiveGoesOn(t *testing.T) {
	t.Parallel()
	var html string
	l := newLive(func(d map[string]interface{}) { html = d["text/html"].(string) }, time.Now, nil)
	l.history = func(run, key string) (epochs, values []float64) {
		if key != "loss" {
			return nil, nil
		}
		return []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}
	}
	l.Event(progress.Event{Event: progress.RunResumed, RunID: "0123456789", Epoch: 3, Epochs: 10})
	if len(l.loss.x) != 3 || l.loss.x[2] != 3 || !strings.Contains(html, "data:image/svg+xml;base64,") {
		t.Errorf("the curve has epochs %v", l.loss.x)
	}
}

// BenchmarkLive is the cost of one picture late in a long training; the other half of "less than one hundredth" is the
// throttle, which TestLiveIsThrottled holds.
func BenchmarkLive(b *testing.B) {
	l := newLive(func(map[string]interface{}) {}, time.Now, nil)
	l.Event(progress.Event{Event: progress.RunStarted, RunID: "0123456789", Epochs: 2000})
	for epoch := 1; epoch <= 1000; epoch++ {
		l.loss.add(epoch, 1/float64(epoch))
		if epoch%10 == 0 {
			l.head.add(epoch, .5)
			l.tail.add(epoch, .4)
		}
	}
	b.ResetTimer()
	for range b.N {
		l.draw(true)
	}
}
