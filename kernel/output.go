package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/wire"
)

// engineIO is the server as the engine and the code of cells see it.
type engineIO struct {
	*server
	of *owner // nil: the running request
}

func (s engineIO) Stdout() io.Writer { return writer{s.out, "stdout", s.of} }
func (s engineIO) Stderr() io.Writer { return writer{s.out, "stderr", s.of} }

func (s engineIO) Bind() IO {
	of := s.out.bind()
	return engineIO{s.server, &of}
}

func (s engineIO) Display(d display.Data) error {
	return s.show("display_data", d)
}

func (s engineIO) Update(d display.Data) error {
	if display.ID(d) == "" {
		return errors.New("nothing to update: the data has no display_id, see display.WithID")
	}
	return s.show("update_display_data", d)
}

func (s engineIO) ClearOutput(wait bool) error {
	r, shown := s.out.place(s.of)
	if !shown {
		return nil
	}
	s.out.flush(true)
	return s.publish("clear_output", r, map[string]any{"wait": wait}, true)
}

// show publishes data after what was printed before it.
func (s engineIO) show(msgType string, d display.Data) error {
	r, shown := s.out.place(s.of)
	if !shown {
		return nil
	}
	content, err := bundle(d)
	if err != nil {
		return err
	}
	s.out.flush(true)
	return s.publish(msgType, r, content, true)
}

// sendStream publishes a batch of text.
func (s *server) sendStream(g segment) {
	_ = s.publish("stream", g.parent, map[string]any{"name": g.stream, "text": string(g.text)}, true)
}

// bundle returns the content of a message that shows d. The error names the part that cannot be sent.
func bundle(d display.Data) (map[string]any, error) {
	data := make(map[string]any, len(d.Data))
	for mime, v := range d.Data {
		if v = sendable(mime, v); v == nil {
			continue // nil has no contents
		}
		if _, err := wire.Marshal(v); err != nil {
			return nil, fmt.Errorf("%s: %w", mime, err)
		}
		data[mime] = v
	}
	content := map[string]any{"data": data, "metadata": orEmpty(d.Metadata)}
	if len(d.Transient) > 0 {
		content["transient"] = d.Transient
	}
	return content, nil
}

// sendable turns bytes into the form that front ends expect for the MIME type: text as a string, JSON as a tree, and
// the rest as base64, which encoding/json does.
func sendable(mime string, v any) any {
	b, ok := v.([]byte)
	if !ok {
		return v
	}
	switch {
	case strings.HasPrefix(mime, "text/"), mime == display.MIMETypeSVG, mime == display.MIMETypeJavaScript:
		return string(b)
	case mime == display.MIMETypeJSON, strings.HasSuffix(mime, "+json"):
		if json.Valid(b) {
			return json.RawMessage(b)
		}
		return string(b)
	}
	return b
}

func orEmpty(m display.MIMEMap) display.MIMEMap {
	if m == nil {
		return display.MIMEMap{}
	}
	return m
}
