package kernel

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spherelab/spherelab/kernel/wire"
)

const (
	// queryPatience is how long after a cell's arrival completion and other queries wait for it.
	queryPatience = 100 * time.Millisecond
	// abortWindow is how long after a failure cells can still arrive that were sent before it.
	abortWindow = 100 * time.Millisecond
	// stopPatience is how long the end of the kernel waits for the running cell to stop.
	stopPatience = 2 * time.Second
	// lingering is how long the end of the kernel waits for clients to take its last messages.
	lingering = time.Second
)

// options are changed only by tests. Serve uses the zero value.
type options struct {
	// log receives problems with the outside world. nil: warnings are written as text to standard error, which Jupyter
	// shows in its log.
	log *slog.Logger
	// parentPID is the process with which the kernel ends. 0: what Jupyter put into the environment variable
	// JPY_PARENT_PID; negative: none.
	parentPID int
	// batch is how long printed text may wait for more before it is sent. 0: 20 ms.
	batch time.Duration
	// stall is how long a client may take nothing of what is sent to it before it is disconnected. 0: 30 s.
	stall time.Duration
	// hold is how long a cell waits for a reader of its output that takes nothing before that reader is disconnected.
	// Any process that reaches the port can subscribe to output, with or without the key. A reader that takes less than
	// 256 kB a second while the cell waits uses up this time too. 0: 10 s.
	hold time.Duration
	// noSignals leaves SIGINT, SIGTERM and SIGHUP to the caller, who also handles crashes.
	noSignals bool
	// counters counts ignored messages.
	counters *counters
	// ready is called when the sockets accept connections. Ports that were 0 in the file have their numbers in the
	// connection and in the file.
	ready func(wire.Connection)
}

// counters counts messages that were ignored.
type counters struct {
	badSignature atomic.Int64
	malformed    atomic.Int64 // correctly signed, if the connection has a key, but not valid by the protocol
	replayed     atomic.Int64 // with a right signature, but a copy of an earlier message
}

// server is one running kernel.
type server struct {
	connection wire.Connection
	engine     Engine
	log        *slog.Logger
	session    *wire.Session
	counters   *counters

	shell, control, stdin, iopub, heartbeat *wire.Socket

	cells, queries, controls *queue
	turn                     chan struct{} // held while a query is answered
	started                  chan struct{} // closed when the engine has started
	state                    *state
	out                      *outbox
	input                    *input
	history                  *history
	count                    int // execution count; of the evaluating goroutine
	record                   *record
	died                     string // what the next cell tells about the previous process; of the evaluating goroutine

	ending  chan struct{} // closed by stop
	endOnce sync.Once
}

// Serve runs a kernel on the sockets that the connection file names until a client shuts it down, its parent process is
// gone, SIGTERM arrives or ctx ends; in all these cases it returns nil. It calls the engine's Start, Execute and Close
// on one goroutine. A cell that does not stop when the kernel ends is left running: only the end of the process can end
// it.
func Serve(ctx context.Context, connectionFile string, e Engine) error {
	return serve(ctx, connectionFile, e, options{})
}

func serve(ctx context.Context, connectionFile string, e Engine, o options) error {
	connection, err := wire.ReadConnection(connectionFile)
	if err != nil {
		return err
	}
	session, err := wire.NewSession(connection)
	if err != nil {
		return err
	}
	s := &server{
		connection: connection, engine: e, log: o.log, session: session, counters: o.counters,
		cells: newQueue(), queries: newQueue(), controls: newQueue(),
		turn: make(chan struct{}, 1), started: make(chan struct{}), state: newState(),
		input: newInput(), history: &history{}, ending: make(chan struct{}),
	}
	if s.log == nil {
		s.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	if s.counters == nil {
		s.counters = &counters{}
	}
	s.out = newOutbox(orDefault(o.batch, 20*time.Millisecond), s.sendStream)
	// Before the sockets are open: from then on clients can act, and signals and the death of the parent must be
	// noticed.
	signals := make(chan os.Signal, 8)
	if !o.noSignals {
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer signal.Stop(signals)
	}
	parent := findParent(o.parentPID)
	if err := s.open(orDefault(o.stall, 30*time.Second), orDefault(o.hold, 10*time.Second)); err != nil {
		return err
	}
	if s.connection != connection {
		if err := s.connection.Write(connectionFile); err != nil {
			s.closeSockets(0)
			return err
		}
	}
	if !o.noSignals {
		s.record, s.died = openRecord(connectionFile, s.log)
		defer s.record.close()
	}
	return s.run(ctx, signals, parent, o.ready)
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// open opens the five sockets. Nothing is received before all are open, since an answer may need another one.
func (s *server) open(stall, hold time.Duration) error {
	listeners, err := s.connection.Listen()
	if err != nil {
		return err
	}
	s.iopub = wire.NewPub(stall, hold, s.welcome)
	s.stdin = wire.NewRouter(stall, s.onStdin)
	s.shell = wire.NewRouter(stall, s.onShell)
	s.control = wire.NewRouter(stall, s.onControl)
	s.heartbeat = wire.NewRouter(stall, wire.Echo)
	s.shell.Serve(listeners.Shell)
	s.control.Serve(listeners.Control)
	s.stdin.Serve(listeners.Stdin)
	s.iopub.Serve(listeners.IOPub)
	s.heartbeat.Serve(listeners.Heartbeat)
	return nil
}

// welcome tells a new subscriber that it will miss nothing from now on (Jupyter enhancement proposal 65).
func (s *server) welcome(topic string) [][]byte {
	content := map[string]any{"subscription": topic}
	frames, _, err := s.session.Encode("iopub_welcome", nil, content)
	if err != nil {
		return nil
	}
	return append([][]byte{[]byte(topic)}, frames...)
}

// run serves until the end.
func (s *server) run(ctx context.Context, signals <-chan os.Signal, p *parent, ready func(wire.Connection)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.status(nil, "starting")
	var workers sync.WaitGroup
	for _, work := range []func(context.Context){s.out.run, s.serveQueries, s.serveControls} {
		workers.Go(func() { work(ctx) })
	}
	workers.Go(func() { s.watchSignals(ctx, signals) })
	if p != nil {
		workers.Go(func() { s.watchParent(ctx, p) })
	}
	evaluated := make(chan error, 1)
	go func() { evaluated <- s.evaluate(ctx) }()
	if ready != nil {
		ready(s.connection)
	}

	select {
	case err := <-evaluated: // the engine did not start
		evaluated <- err
	case <-s.ending:
	case <-ctx.Done():
	}
	s.interrupt()
	s.out.release()
	cancel()
	stopped := make(chan error, 1)
	go func() {
		workers.Wait() // they finish their answers
		stopped <- <-evaluated
	}()
	err := s.awaitEnd(stopped)
	s.closeSockets(lingering)
	signed, malformed, replayed := s.counters.badSignature.Load(), s.counters.malformed.Load(),
		s.counters.replayed.Load()
	if signed+malformed+replayed > 0 {
		s.log.Warn("messages were ignored", "badly_signed", signed, "malformed", malformed, "replayed", replayed)
	}
	return err
}

// awaitEnd waits for the running cell to stop. It repeats the interrupt, since a cell may just have begun.
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
	for _, socket := range []*wire.Socket{s.shell, s.control, s.stdin, s.iopub, s.heartbeat} {
		closing.Go(func() { socket.Close(linger) })
	}
	closing.Wait()
}

// stop makes the kernel end.
func (s *server) stop(why string) {
	s.endOnce.Do(func() {
		s.log.Info("the kernel ends", "why", why)
		close(s.ending)
	})
}

// onShutdown answers a shutdown_request and ends the kernel. For a restart the client starts a new process, so the flag
// restart is only repeated to all clients.
func (s *server) onShutdown(r *request) {
	var q struct {
		Restart bool `json:"restart"`
	}
	if err := json.Unmarshal(r.Content, &q); err != nil {
		s.fail(r, "BadRequest", err.Error())
		return
	}
	content := map[string]any{"status": "ok", "restart": q.Restart}
	s.reply(r, "shutdown_reply", content)
	_ = s.publish("shutdown_reply", r, content, false)
	s.stop("shutdown_request")
}
