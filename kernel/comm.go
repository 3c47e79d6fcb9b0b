package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Comms are the channels between code in the front end (widgets) and Go code in the kernel. Whoever wants to offer one makes a Comms, registers targets and
// gives it to [Serve] in its options. It is safe for concurrent use.
type Comms struct {
	mu      sync.Mutex
	targets map[string]func(c *Comm, data json.RawMessage)
	open    map[string]*Comm
	publish func(msgType string, content map[string]any, buffers [][]byte) error // nil before Serve
}

// NewComms returns Comms without targets.
func NewComms() *Comms {
	return &Comms{targets: map[string]func(*Comm, json.RawMessage){}, open: map[string]*Comm{}}
}

// Comm is one open channel.
type Comm struct {
	ID, Target string
	comms      *Comms

	mu        sync.Mutex
	onMessage func(data json.RawMessage, buffers [][]byte)
	onClose   func(data json.RawMessage)
}

var errNotServing = errors.New("kernel: comms are not connected: no kernel serves them")

// Register makes a target that front ends can open. opened is called for each comm with the data that came with it; it sets the comm's handlers. All handlers
// are called one at a time and must not take long.
func (cs *Comms) Register(target string, opened func(c *Comm, data json.RawMessage)) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.targets[target] = opened
}

// Open opens a comm to a target of the front end.
func (cs *Comms) Open(target string, data any) (*Comm, error) {
	c := &Comm{ID: newID(), Target: target, comms: cs}
	cs.mu.Lock()
	cs.open[c.ID] = c
	cs.mu.Unlock()
	if err := c.send("comm_open", map[string]any{"comm_id": c.ID, "target_name": target, "data": data}, nil); err != nil {
		cs.drop(c.ID)
		return nil, err
	}
	return c, nil
}

// OnMessage sets what is called for each message of the front end.
func (c *Comm) OnMessage(f func(data json.RawMessage, buffers [][]byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMessage = f
}

// OnClose sets what is called when the front end closes the comm.
func (c *Comm) OnClose(f func(data json.RawMessage)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onClose = f
}

// Send sends data, which must be JSON, and raw buffers to the front end.
func (c *Comm) Send(data any, buffers ...[]byte) error {
	return c.send("comm_msg", map[string]any{"comm_id": c.ID, "data": data}, buffers)
}

// Close closes the comm from this side.
func (c *Comm) Close(data any) error {
	if c.comms.drop(c.ID) == nil {
		return nil
	}
	return c.send("comm_close", map[string]any{"comm_id": c.ID, "data": data}, nil)
}

func (c *Comm) send(msgType string, content map[string]any, buffers [][]byte) error {
	if content["data"] == nil {
		content["data"] = map[string]any{}
	}
	c.comms.mu.Lock()
	publish := c.comms.publish
	c.comms.mu.Unlock()
	if publish == nil {
		return errNotServing
	}
	return publish(msgType, content, buffers)
}

func (cs *Comms) drop(id string) *Comm {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.open[id]
	delete(cs.open, id)
	return c
}

func (cs *Comms) get(id string) *Comm {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.open[id]
}

// onComm handles comm_open, comm_msg and comm_close. None has a reply.
func (s *server) onComm(r *request) {
	var q struct {
		ID     string          `json:"comm_id"`
		Target string          `json:"target_name"`
		Data   json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(r.content, &q); err != nil || q.ID == "" {
		s.counters.malformed.Add(1)
		return
	}
	switch r.header.MsgType {
	case "comm_open":
		s.comms.opened(r, s, q.ID, q.Target, q.Data)
	case "comm_msg":
		c := s.comms.get(q.ID)
		if c == nil {
			s.log.Debug("message for a comm that is not open", "comm", q.ID)
			return
		}
		c.mu.Lock()
		f := c.onMessage
		c.mu.Unlock()
		if f != nil {
			f(q.Data, r.buffers)
		}
	case "comm_close":
		if c := s.comms.drop(q.ID); c != nil {
			c.mu.Lock()
			f := c.onClose
			c.mu.Unlock()
			if f != nil {
				f(q.Data)
			}
		}
	}
}

// opened opens a comm for a front end; for a target that nobody registered it is closed at once, as the protocol says.
func (cs *Comms) opened(r *request, s *server, id, target string, data json.RawMessage) {
	cs.mu.Lock()
	f := cs.targets[target]
	c := &Comm{ID: id, Target: target, comms: cs}
	if f != nil {
		cs.open[id] = c
	}
	cs.mu.Unlock()
	if f == nil {
		_ = s.publish(outgoing{msgType: "comm_close", parent: r.rawHeader, content: map[string]any{
			"comm_id": id, "data": map[string]any{"error": fmt.Sprintf("no comm target %q", target)}}}, false)
		return
	}
	f(c, data)
}

func (s *server) onCommInfo(r *request) {
	var q struct {
		Target string `json:"target_name"`
	}
	if err := json.Unmarshal(r.content, &q); err != nil {
		s.fail(r, "BadRequest", err.Error())
		return
	}
	comms := map[string]any{}
	s.comms.mu.Lock()
	for id, c := range s.comms.open {
		if q.Target == "" || q.Target == c.Target {
			comms[id] = map[string]any{"target_name": c.Target}
		}
	}
	s.comms.mu.Unlock()
	s.reply(r, "comm_info_reply", map[string]any{"status": "ok", "comms": comms})
}

// connect lets comms send through a kernel.
func (cs *Comms) connect(s *server) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.publish = func(msgType string, content map[string]any, buffers [][]byte) error {
		r, _ := s.out.owner()
		return s.publish(outgoing{msgType: msgType, parent: r.parentHeader(), content: content, buffers: buffers}, false)
	}
}

func (cs *Comms) disconnect() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.publish = nil
}
