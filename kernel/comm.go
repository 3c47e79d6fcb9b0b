package kernel

import (
	"encoding/json"
	"fmt"
)

// onComm handles comm_open, comm_msg and comm_close. The kernel has no comm targets, so it closes every comm that a
// front end opens, as the protocol demands, and ignores the rest. None of the three has a reply.
func (s *server) onComm(r *request) {
	var q struct {
		ID     string `json:"comm_id"`
		Target string `json:"target_name"`
	}
	if err := json.Unmarshal(r.Content, &q); err != nil || q.ID == "" {
		s.counters.malformed.Add(1)
		return
	}
	if r.Header.MsgType == "comm_open" {
		_ = s.publish("comm_close", r, map[string]any{
			"comm_id": q.ID, "data": map[string]any{"error": fmt.Sprintf("no comm target %q", q.Target)}}, false)
	}
}

// onCommInfo answers that no comm is open.
func (s *server) onCommInfo(r *request) {
	s.reply(r, "comm_info_reply", map[string]any{"status": "ok", "comms": map[string]any{}})
}
