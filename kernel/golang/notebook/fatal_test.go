package notebook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// filled is a map that a goroutine writes to.
const filled = "m := map[int]int{}\nfor i := range 1000 { m[i] = i }\ngo func() { for !late() { m[1]++ } }()\n"

// fatal are cells for which Go's runtime ends a program, with its words.
var fatal = map[string][]string{
	"fatal error: concurrent map": {
		"m := map[int]int{}\nfor range 4 { wg.Add(1); go func() { defer wg.Done(); for i := 0; !late(); i++ { m[i%100] = i } }() }\nwg.Wait()",
		"m := map[T][]int{}\nfor range 4 { wg.Go(func() { for i := 0; !late(); i++ { m[T{i%100}] = nil } }) }\nwg.Wait()",
		"m := map[string]T{}\nwg.Go(func() { for !late() { delete(m, \"a\") } })\nfor !late() { m[\"a\"] = T{} }\nwg.Wait()",
		"m := map[any]int{}\nwg.Go(func() { for !late() { clear(m) } })\nfor !late() { m[1] = 2 }\nwg.Wait()",
	},
	"fatal error: concurrent map writes": {
		"v := url.Values{}\nfor range 4 { wg.Go(func() { for !late() { v.Set(\"a\", \"b\") } }) }\nwg.Wait()",
		"h := http.Header{}\nset := h.Set\nfor range 4 { wg.Go(func() { for !late() { set(\"a\", \"b\") } }) }\nwg.Wait()",
		"m := map[string]int{}\nfor range 4 { wg.Go(func() { for !late() { json.Unmarshal([]byte(`{\"a\": 1}`), &m) } }) }\nwg.Wait()",
		"m := map[string]T{}\nfor range 4 { wg.Go(func() { for !late() { json.Unmarshal([]byte(`{\"a\": {}}`), &m) } }) }\nwg.Wait()",
	},
	"fatal error: concurrent map read and map write": {
		"v := url.Values{}\ngo func() { for !late() { v.Add(\"a\", \"b\"); v.Del(\"a\") } }()\nfor !late() { v.Get(\"a\") }",
		"m := map[string]int{}\ngo func() { for !late() { m[\"a\"]++ } }()\nfor !late() { _ = m[\"b\"] }",
		"m := map[T]T{}\ngo func() { for !late() { _, ok := m[T{1}]; _ = ok } }()\nfor !late() { m[T{2}] = T{3} }",
	},
	"fatal error: concurrent map ": {
		"m := map[int]int{}\nfor i := range 1000 { m[i] = i }\ngo func() { for !late() { m[1]++ } }()\n" +
			"for !late() { for range m { } }",
	},
	"fatal error: concurrent map  ": { // printed, encoded, compared and shown by compiled code
		filled + "for !late() { fmt.Sprint(m) }", filled + "for !late() { fmt.Sprintf(\"%v %p\", m, m) }",
		filled + "for !late() { json.Marshal(m) }", filled + "e := json.NewEncoder(io.Discard)\nfor !late() { e.Encode(m) }",
		filled + "n := maps.Clone(m)\nfor !late() { reflect.DeepEqual(m, n) }", filled + "for !late() { Display(m) }",
		strings.NewReplacer("map[int]int", "map[int]T", "= i }", "= T{i} }", "m[1]++", "m[1] = T{}").Replace(filled) + "for !late() { fmt.Sprint(m) }",
		filled + "type S struct{ m map[int]int }\ns := S{m}\nfor !late() { fmt.Sprint(s) }",
		filled + "type S struct{ M map[int]int }\ns := S{m}\nfor !late() { json.Marshal(s) }",
	},
	"fatal error: sync: unlock of unlocked mutex": {
		"var mu sync.Mutex\nmu.Unlock()", "var mu sync.Mutex\nmu.Lock(); mu.Unlock()\ndefer mu.Unlock()",
		"l := struct{ sync.Mutex }{}\nl.Unlock()", "var mu sync.Mutex\nunlock := mu.Unlock\nunlock()",
		"var l sync.Locker = &sync.Mutex{}\nl.Unlock()", "c := sync.NewCond(&sync.Mutex{})\nc.Wait()",
		"func() { defer func() { recover() }(); var mu sync.Mutex; mu.Unlock() }()",
		"var mu sync.Mutex\nfor range 4 { wg.Go(func() { for !late() { mu.TryLock(); mu.Unlock() } }) }\nwg.Wait()",
		"done := make(chan bool)\nvar mu sync.Mutex\ngo func() { defer close(done); mu.Unlock() }()\n<-done; select {}",
	},
	"fatal error: sync: Unlock of unlocked RWMutex": {
		"var mu sync.RWMutex\nmu.Unlock()", "var mu sync.RWMutex\nmu.RLock(); mu.Unlock()",
		"c := sync.NewCond(&sync.RWMutex{})\nc.Wait()",
	},
	"fatal error: sync: RUnlock of unlocked RWMutex": {
		"var mu sync.RWMutex\nmu.RUnlock()", "var mu sync.RWMutex\nmu.Lock(); mu.RUnlock()",
		"var mu sync.RWMutex\nmu.RLocker().Unlock()",
	},
	"fatal error: go of nil func value": {"var f func()\nwg.Go(f)"},
	"sync: negative WaitGroup counter":  {"var g sync.WaitGroup\ng.Done()"},
}

// TestFatal: what ends compiled programs ends the cell alone.
func TestFatal(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"encoding/json\"; \"fmt\"; \"io\"; \"maps\"; \"net/http\"; " +
		"\"net/url\"; \"reflect\"; \"sync\"; \"time\")\nkept := 1\ntype T struct{ n int }")
	for want, codes := range fatal {
		for _, code := range codes {
			o := s.run("begun := time.Now()\nlate := func() bool { return time.Since(begun) > 5*time.Second }\n" +
				"var wg sync.WaitGroup\n" + code)
			said := strings.TrimSpace(want)
			if o.failure == nil || !strings.Contains(o.failure.Value, said) || o.took > 4*time.Second {
				t.Errorf("%s\nends with %v after %v, want %s; %s", code, o.failure, o.took, want, o.err)
				continue
			}
			if place := strings.Join(o.failure.Traceback, "\n"); !strings.Contains(place, "cell [") {
				t.Errorf("%s: no place: %s", code, place)
			}
		}
	}
	if o := s.ok("kept"); o.value != "1" {
		t.Errorf("the session has %s", o.value)
	}
}

// TestNotFatal: what may be used at once, or is locked, is not refused.
func TestNotFatal(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok("import (\"encoding/json\"; \"fmt\"; \"net/url\"; \"sync\"; \"sort\")")
	o := s.ok(`type K struct{ s string }
read := map[int]string{}
keyed := map[K]int{{"a"}: 1}
for i := range 500 { read[i] = "x" }
var mu sync.RWMutex
shared := map[int]int{}
query := url.Values{}
var total, seen int
var wg sync.WaitGroup
for w := range 8 {
	own := map[int]int{}
	wg.Go(func() {
		for i := range 2000 {
			own[i%50]++
			if read[i%500] != "x" || keyed[K{"a"}] != 1 { panic("read") }
			mu.Lock()
			shared[i%10]++
			mu.Unlock()
			mu.RLock()
			_ = shared[w]
			mu.RUnlock()
		}
		n := 0
		for range read { n++ }
		for range 20 {
			if len(fmt.Sprint(read, keyed)) < 500 { panic("printed") }
			if b, err := json.Marshal(read); err != nil || len(b) < 500 { panic("encoded") }
			mu.Lock()
			json.Unmarshal([]byte("{\"1000\": 0}"), &shared)
			if fmt.Sprintf("%p", shared) != fmt.Sprintf("%p", shared) { panic("address") }
			query.Set("a", fmt.Sprint(shared))
			mu.Unlock()
		}
		mu.Lock()
		defer mu.Unlock()
		total += len(own)
		seen += n
	})
}
wg.Wait()
sum := 0
for _, n := range shared { sum += n }
[]int{total, seen, sum}`)
	if o.value != "[400 4000 16000]" {
		t.Errorf("%s", o.value)
	}
}
