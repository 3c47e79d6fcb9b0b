package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"
)

// executeRequest is the content of an execute_request. Absent members have the protocol's defaults.
type executeRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      *bool             `json:"allow_stdin"`
	StopOnError     *bool             `json:"stop_on_error"`
}

func absent(b *bool, otherwise bool) bool {
	if b == nil {
		return otherwise
	}
	return *b
}

// evaluate is the evaluating goroutine: it starts the engine, runs cells and closes the engine.
func (s *server) evaluate(ctx context.Context) error {
	if err := s.runGuarded(func() error { return s.engine.Start(engineIO{server: s}) }); err != nil {
		return fmt.Errorf("kernel: the engine did not start: %w", err)
	}
	close(s.started)
	for {
		r := s.cells.next(ctx)
		if r == nil {
			break
		}
		s.awaitTurn()
		s.execute(ctx, r)
		s.state.done()
	}
	if err := s.runGuarded(s.engine.Close); err != nil {
		return fmt.Errorf("kernel: closing the engine: %w", err)
	}
	return nil
}

// execute serves one execute_request.
func (s *server) execute(ctx context.Context, r *request) {
	var q executeRequest
	if err := json.Unmarshal(r.Content, &q); err != nil {
		s.skip(r)
		s.status(r, "busy")
		s.reply(r, "execute_reply", s.notRun(failure("BadRequest", err.Error())))
		s.status(r, "idle")
		return
	}
	if s.isAborted(r) {
		s.skip(r)
		s.status(r, "busy")
		s.reply(r, "execute_reply", s.notRun(map[string]any{"status": "aborted"}))
		s.status(r, "idle")
		return
	}
	mustStore := absent(q.StoreHistory, true) && !q.Silent
	cell := Cell{Code: q.Code, Number: s.count, Silent: q.Silent, StoreHistory: mustStore}
	if mustStore {
		s.count++
		cell.Number = s.count
		s.history.add(cell.Number, q.Code)
	}

	cellCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &running{request: r, allowStdin: absent(q.AllowStdin, true), cancel: cancel}
	interrupted := s.begin(c, q.Silent)
	s.record.begin(s.count)
	if !q.Silent {
		_ = s.publish("execute_input", r, map[string]any{"code": q.Code, "execution_count": cell.Number}, false)
	}

	if s.died != "" && !q.Silent {
		_, _ = writer{s.out, "stderr", nil}.Write([]byte(s.died)) // refused only if the cell was interrupted
		s.died = ""
	}

	var result Result
	var err error = errNotBegun
	if !interrupted {
		result, err = s.call(cellCtx, cell)
	}
	s.out.flush(true)
	reply := map[string]any{
		"status": "ok", "execution_count": cell.Number, "payload": result.Payload, "user_expressions": map[string]any{},
	}
	if result.Payload == nil {
		reply["payload"] = []any{}
	}
	if err == nil && result.HasValue && !q.Silent {
		err = s.publishResult(r, cell, result)
	}
	if err != nil {
		content := errorContent(asCellError(err))
		if !q.Silent {
			_ = s.publish("error", r, content, false)
		}
		for key, value := range content {
			reply[key] = value
		}
		reply["status"] = "error"
		if absent(q.StopOnError, true) {
			s.abortQueued(r)
		}
	} else if len(q.UserExpressions) > 0 {
		reply["user_expressions"], err = s.userExpressions(cellCtx, cell, q.UserExpressions)
	}
	s.recordEnd(c, err)
	s.record.end(s.engine.Declared())
	s.reply(r, "execute_reply", reply)
	s.end(r)
}

// notRun completes the reply to a cell that does not run. Such a cell has no number, so the count is that of the last
// cell.
func (s *server) notRun(reply map[string]any) map[string]any {
	reply["execution_count"], reply["payload"], reply["user_expressions"] = s.count, []any{}, map[string]any{}
	return reply
}

// isAborted reports whether a cell before r failed when r waited.
func (s *server) isAborted(r *request) bool {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return r.isAborted
}

// begin makes a cell the running one. It reports whether the cell was interrupted before.
func (s *server) begin(c *running, silent bool) (interrupted bool) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.out.begin(c.request, silent)
	s.state.begun(c.request)
	s.state.running = c
	s.status(c.request, "busy")
	return c.request.isInterrupted
}

// skip records that a cell no longer waits and will not run.
func (s *server) skip(r *request) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.begun(r)
}

// recordEnd records that a cell's code has ended. An interrupt that came too late to end it applies to the next cell.
func (s *server) recordEnd(c *running, err error) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	c.isEvaluated = true
	if c.isInterrupted && err == nil {
		s.state.interruptNext()
	}
}

// end records that the cell has ended. Later output still belongs to it.
func (s *server) end(r *request) {
	s.out.flush(true)
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.running = nil
	s.out.end()
	s.status(r, "idle")
}

// call evaluates code. A panic of the engine becomes an error.
func (s *server) call(ctx context.Context, cell Cell) (result Result, err error) {
	err = s.runGuarded(func() error {
		result, err = s.engine.Execute(ctx, cell)
		return err
	})
	return result, err
}

// runGuarded calls f and turns a panic into an error: a fault of the engine must not end the kernel and lose the user's
// variables.
func (s *server) runGuarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			s.log.Error("panic in the engine", "panic", v, "stack", string(debug.Stack()))
			err = &CellError{Name: "InternalError", Value: fmt.Sprintf("the kernel's engine panicked: %v", v)}
		}
	}()
	return f()
}

func (s *server) publishResult(r *request, cell Cell, result Result) error {
	if len(result.Data.Data) == 0 {
		return nil
	}
	content, err := bundle(result.Data)
	if err != nil {
		return fmt.Errorf("the value cannot be shown: %w", err)
	}
	content["execution_count"] = cell.Number
	if err := s.publish("execute_result", r, content, true); err != nil {
		return fmt.Errorf("the value cannot be shown: %w", err)
	}
	if text, ok := result.Data.Data["text/plain"].(string); ok && cell.StoreHistory {
		s.history.output(cell.Number, text)
	}
	return nil
}

// userExpressions evaluates the expressions that a front end asks for after a cell. They print nothing and have no
// execution count; each has its own status. The error is that of the last one that failed.
func (s *server) userExpressions(ctx context.Context, cell Cell, expressions map[string]string) (map[string]any,
	error) {
	s.out.mute()
	var failed error
	values := make(map[string]any, len(expressions))
	for _, name := range slices.Sorted(maps.Keys(expressions)) {
		// not silent: its value is wanted
		result, err := s.call(ctx, Cell{Code: expressions[name], Number: cell.Number})
		var content map[string]any
		if err == nil {
			content, err = bundle(result.Data)
		}
		if err == nil {
			content["status"] = "ok"
		} else {
			content = errorContent(asCellError(err))
			content["status"] = "error"
			failed = err
		}
		values[name] = content
	}
	return values, failed
}

// abortQueued aborts the cells that were sent before r failed: they were meant to run after a success.
func (s *server) abortQueued(r *request) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.failed, s.state.session = time.Now(), r.Header.Session
	for _, waiting := range s.state.waiting { // not the queue: an arriving cell is recorded here first
		waiting.isAborted = true
	}
}

func asCellError(err error) *CellError {
	var cell *CellError
	if errors.As(err, &cell) {
		return cell
	}
	return &CellError{Name: "Error", Value: err.Error()}
}

func errorContent(e *CellError) map[string]any {
	traceback := e.Traceback
	if traceback == nil {
		traceback = []string{e.Error()}
	}
	return map[string]any{"ename": e.Name, "evalue": e.Value, "traceback": traceback}
}
