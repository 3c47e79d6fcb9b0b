package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

const (
	// queryPatience is how long after a cell's arrival completion and other questions wait for it.
	queryPatience = 100 * time.Millisecond
	// abortWindow is how long after a failure cells can still arrive that were sent before it.
	abortWindow = 100 * time.Millisecond
	// stopPatience is how long the end of the kernel waits for the running cell to stop; lingering is for the messages that are under way then.
	stopPatience = 2 * time.Second
	lingering    = time.Second
)

// Options are what Serve can be told beside the connection; the zero value is right for a kernel that Jupyter starts.
type Options struct {
	// Log takes what is wrong with the outside world. nil: warnings, as text on standard error, which Jupyter shows in its log.
	Log *slog.Logger
	// ParentPID is the process with which the kernel ends. 0: what Jupyter put into the environment variable JPY_PARENT_PID; negative: none.
	ParentPID int
	// Batch is how long printed text may wait for more before it is sent. 0: 20 ms.
	Batch time.Duration
	// Stall is how long a client may take nothing of what is sent to it before it is disconnected. 0: 30 s.
	Stall time.Duration
	// Hold is how long a cell waits for a reader of its output that takes nothing; then that reader is disconnected. Anybody who reaches the port can subscribe
	// to output, with or without the key. A reader that takes less than 256 kB a second while the cell waits uses it up, too. 0: 10 s.
	Hold time.Duration
	// NoSignals leaves SIGINT, SIGTERM and SIGHUP to the caller.
	NoSignals bool
	// Comms offers targets to widgets in the front end. nil: none.
	Comms *Comms
	// Counters counts refused messages. nil: nobody wants to know.
	Counters *Counters
	// Ready is called when the sockets accept connections, with the connection as it is: ports that were 0 in the file are filled in, there too.
	Ready func(Connection)
}

// Counters counts messages that were ignored.
type Counters struct{ badSignature, malformed, replayed atomic.Int64 }

// BadSignature is the number of messages with a bad signature.
func (c *Counters) BadSignature() int64 { return c.badSignature.Load() }

// Malformed is the number of messages that were signed, if the connection has a key, but not what the protocol says.
func (c *Counters) Malformed() int64 { return c.malformed.Load() }

// Replayed is the number of messages with a right signature that had been received before: a copy of somebody else's message.
func (c *Counters) Replayed() int64 { return c.replayed.Load() }

// server is one running kernel.
type server struct {
	connection Connection
	engine     Engine
	log        *slog.Logger
	encoder    *encoder
	counters   *Counters
	seen       *signatures
	comms      *Comms

	shell, control, stdin, iopub, heartbeat *socket

	cells, queries, controls *lane
	turn                     chan struct{} // held while a query is answered
	started                  chan struct{} // closed when the engine has started
	state                    *state
	out                      *outbox
	input                    *input
	history                  *history
	count                    int // execution count; of the evaluating goroutine

	ending  chan struct{} // closed by stop
	endOnce sync.Once
}

// Serve runs a kernel on the sockets that the connection file names until a client shuts it down, its parent process is gone, SIGTERM arrives or ctx ends; all
// of these give nil. It calls the engine's Start, Execute and Close on one goroutine that is locked to its thread. A cell that does not stop when the kernel
// ends is left behind, since nothing can end it but the end of the process.
func Serve(ctx context.Context, connectionFile string, e Engine, o Options) error {
	connection, err := ReadConnection(connectionFile)
	if err != nil {
		return err
	}
	signer, err := newSigner(connection.SignatureScheme, connection.Key)
	if err != nil {
		return err
	}
	s := &server{
		connection: connection, engine: e, log: o.Log, encoder: &encoder{signer: signer, session: newID()}, counters: o.Counters, seen: &signatures{}, comms: o.Comms,
		cells: newLane(), queries: newLane(), controls: newLane(), turn: make(chan struct{}, 1), started: make(chan struct{}), state: newState(),
		input: newInput(), history: &history{}, ending: make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	if s.counters == nil {
		s.counters = &Counters{}
	}
	if s.comms == nil {
		s.comms = NewComms()
	}
	s.out = newOutbox(orDefault(o.Batch, 20*time.Millisecond), s.sendStream)
	if err := s.bind(orDefault(o.Stall, 30*time.Second), orDefault(o.Hold, 10*time.Second)); err != nil {
		return err
	}
	if s.connection != connection {
		if err := s.connection.write(connectionFile); err != nil {
			s.closeSockets(0)
			return err
		}
	}
	s.comms.connect(s)
	defer s.comms.disconnect()
	return s.live(ctx, o)
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// bind opens the five sockets. Nothing is received before all are open, since an answer may need another one.
func (s *server) bind(stall, hold time.Duration) error {
	ports := s.connection.ports()
	names := []string{"shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"}
	listeners := map[string]net.Listener{}
	for _, name := range names {
		l, err := s.connection.listen(ports[name])
		if err != nil {
			for _, l := range listeners {
				l.Close()
			}
			return fmt.Errorf("kernel: cannot open the socket for %s: %w", name, err)
		}
		listeners[name] = l
	}
	s.iopub = newSocket(zmq4.Pub, stall, hold, nil, s.welcome)
	s.stdin = newSocket(zmq4.Router, stall, hold, s.onStdin, nil)
	s.shell = newSocket(zmq4.Router, stall, hold, s.onShell, nil)
	s.control = newSocket(zmq4.Router, stall, hold, s.onControl, nil)
	s.heartbeat = newSocket(zmq4.Router, stall, hold, echo, nil)
	for i, socket := range []*socket{s.shell, s.control, s.stdin, s.iopub, s.heartbeat} {
		socket.listen(listeners[names[i]])
	}
	return nil
}

// echo sends back what a peer of the heartbeat channel sends. Nothing is signed there, so a peer that does not read must not fill the memory: reading from it waits.
func echo(p *peer, frames [][]byte) {
	p.waitRoom()
	p.send(frames)
}

// welcome is what a new subscriber is told: that it will miss nothing from here on (Jupyter enhancement proposal 65).
func (s *server) welcome(topic string) [][]byte {
	frames, _, err := s.encoder.encode(outgoing{msgType: "iopub_welcome", content: map[string]any{"subscription": topic}})
	if err != nil {
		return nil
	}
	return append([][]byte{[]byte(topic)}, frames...)
}

// live serves until the end.
func (s *server) live(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.status(nil, "starting")
	var workers sync.WaitGroup
	for _, work := range []func(context.Context){s.out.run, s.serveQueries, s.serveControls} {
		workers.Go(func() { work(ctx) })
	}
	if !o.NoSignals {
		workers.Go(func() { s.watchSignals(ctx) })
	}
	if pid := o.ParentPID; pid >= 0 {
		if pid == 0 {
			pid = parentFromEnvironment()
		}
		if pid > 0 {
			workers.Go(func() { s.watchParent(ctx, pid) })
		}
	}
	evaluated := make(chan error, 1)
	go func() { evaluated <- s.evaluate(ctx) }()
	if o.Ready != nil {
		o.Ready(s.connection)
	}

	select {
	case err := <-evaluated: // only an engine that does not start ends by itself
		evaluated <- err
	case <-s.ending:
	case <-ctx.Done():
	}
	s.interrupt()
	s.out.release()
	cancel()
	stopped := make(chan error, 1)
	go func() {
		workers.Wait() // what they are answering is answered
		stopped <- <-evaluated
	}()
	err := s.awaitEnd(stopped)
	s.closeSockets(lingering)
	if c := s.counters; c.BadSignature()+c.Malformed()+c.Replayed() > 0 {
		s.log.Warn("messages were ignored", "badly_signed", c.BadSignature(), "malformed", c.Malformed(), "replayed", c.Replayed())
	}
	return err
}

// awaitEnd waits for the running cell to stop. It interrupts again and again: a cell may just have begun.
func (s *server) awaitEnd(stopped <-chan error) error {
	again := time.NewTicker(stopPatience / 20)
	defer again.Stop()
	enough := time.After(stopPatience)
	for {
		select {
		case err := <-stopped:
			s.out.flush(true)
			return err
		case <-again.C:
			s.interrupt()
		case <-enough:
			s.log.Warn("the running cell did not stop; it ends with the process")
			return nil
		}
	}
}

func (s *server) closeSockets(linger time.Duration) {
	var closing sync.WaitGroup
	for _, socket := range []*socket{s.shell, s.control, s.stdin, s.iopub, s.heartbeat} {
		closing.Go(func() { socket.close(linger) })
	}
	closing.Wait()
}

// stop begins the end of the kernel.
func (s *server) stop(why string) {
	s.endOnce.Do(func() {
		s.log.Info("the kernel ends", "why", why)
		close(s.ending)
	})
}

// onShutdown answers a shutdown_request and ends the kernel. Whoever wants a restart starts a new process, so restart is only repeated to all clients.
func (s *server) onShutdown(r *request) {
	var q struct {
		Restart bool `json:"restart"`
	}
	if err := json.Unmarshal(r.content, &q); err != nil {
		s.fail(r, "BadRequest", err.Error())
		return
	}
	content := map[string]any{"status": "ok", "restart": q.Restart}
	s.reply(r, "shutdown_reply", content)
	_ = s.publish(outgoing{msgType: "shutdown_reply", parent: r.rawHeader, content: content}, false)
	s.stop("shutdown_request")
}
