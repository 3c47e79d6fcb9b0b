package kernel

import (
	"encoding/json"
	"path"
	"strings"
	"sync"
)

// historySession is the number of the only session: history lasts as long as the kernel.
const historySession = 1

// entry is one cell of the history.
type entry struct {
	number int
	input  string
	output *string // text of its value
}

type history struct {
	mu      sync.Mutex
	entries []entry
}

func (h *history) add(number int, input string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, entry{number: number, input: input})
}

func (h *history) output(number int, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.entries) - 1; i >= 0; i-- {
		if h.entries[i].number == number {
			h.entries[i].output = &text
			return
		}
	}
}

type historyRequest struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"`
	Session int    `json:"session"` // 0 this one, -1 the one before it
	Start   int    `json:"start"`
	Stop    *int   `json:"stop"` // not included; absent: to the end
	N       *int   `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

// find answers a history_request with triples of session, number and input (with output: input and output).
func (h *history) find(q historyRequest) [][]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []entry
	switch q.Access {
	case "range":
		for _, e := range h.entries {
			inSession := q.Session == 0 || q.Session == historySession
			if inSession && e.number >= q.Start && (q.Stop == nil || e.number < *q.Stop) {
				found = append(found, e)
			}
		}
	case "search":
		for _, e := range h.entries {
			if glob(q.Pattern, e.input) {
				found = append(found, e)
			}
		}
		if q.Unique {
			found = latest(found)
		}
		found = tail(found, q.N)
	default: // "tail"
		found = tail(h.entries, q.N)
	}
	answer := make([][]any, 0, len(found))
	for _, e := range found {
		if q.Output {
			answer = append(answer, []any{historySession, e.number, []any{e.input, e.output}})
		} else {
			answer = append(answer, []any{historySession, e.number, e.input})
		}
	}
	return answer
}

func tail(entries []entry, n *int) []entry {
	if n == nil || *n < 0 || *n >= len(entries) {
		return entries
	}
	return entries[len(entries)-*n:]
}

// latest keeps the last entry of each input.
func latest(entries []entry) []entry {
	last := map[string]int{}
	for i, e := range entries {
		last[e.input] = i
	}
	var kept []entry
	for i, e := range entries {
		if last[e.input] == i {
			kept = append(kept, e)
		}
	}
	return kept
}

// glob matches * and ? against anything, slashes too. A malformed pattern matches inputs that contain it.
func glob(pattern, input string) bool {
	const slash = "\x00" // path.Match treats slashes apart
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(input, "/", slash))
	if err != nil {
		return strings.Contains(input, pattern)
	}
	return ok
}

func (s *server) onHistory(r *request) {
	var q historyRequest
	if err := json.Unmarshal(r.Content, &q); err != nil {
		s.fail(r, "BadRequest", err.Error())
		return
	}
	s.reply(r, "history_reply", map[string]any{"status": "ok", "history": s.history.find(q)})
}
