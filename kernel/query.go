package kernel

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/kernel/wire"
)

// query handles the requests of the shell channel that are not cells.
func (s *server) query(r *request) {
	switch r.Header.MsgType {
	case "kernel_info_request":
		s.reply(r, "kernel_info_reply", s.kernelInfo())
	case "complete_request":
		s.onComplete(r)
	case "inspect_request":
		s.onInspect(r)
	case "is_complete_request":
		s.onIsComplete(r)
	case "history_request":
		s.onHistory(r)
	case "comm_info_request":
		s.onCommInfo(r)
	case "comm_open", "comm_msg", "comm_close":
		s.onComm(r)
	case "connect_request":
		c := s.connection
		s.reply(r, "connect_reply", map[string]any{
			"status": "ok", "shell_port": c.ShellPort, "iopub_port": c.IOPubPort, "stdin_port": c.StdinPort,
			"hb_port": c.HBPort, "control_port": c.ControlPort,
		})
	default:
		s.fail(r, "UnknownRequest", "this kernel does not know "+r.Header.MsgType)
	}
}

func (s *server) kernelInfo() map[string]any {
	i := s.engine.Info()
	links := i.HelpLinks
	if links == nil {
		links = []HelpLink{}
	}
	language := map[string]any{
		"name": i.Name, "version": i.Version, "mimetype": i.MIMEType, "file_extension": i.FileExtension,
	}
	if i.PygmentsLexer != "" {
		language["pygments_lexer"] = i.PygmentsLexer
	}
	if i.CodeMirrorMode != "" {
		language["codemirror_mode"] = i.CodeMirrorMode
	}
	return map[string]any{
		"status": "ok", "protocol_version": wire.ProtocolVersion,
		"implementation": i.Implementation, "implementation_version": i.ImplVersion,
		"language_info": language, "banner": i.Banner, "help_links": links,
		"debugger": false, "supported_features": []string{},
	}
}

// position is the content of requests about a place in the code.
type position struct {
	Code   string `json:"code"`
	Cursor *int   `json:"cursor_pos"` // code points; absent: the end
	Detail int    `json:"detail_level"`
}

func (s *server) position(r *request) (p position, cursor int, ok bool) {
	if err := json.Unmarshal(r.Content, &p); err != nil {
		s.fail(r, "BadRequest", err.Error())
		return p, 0, false
	}
	length := utf8.RuneCountInString(p.Code)
	if p.Cursor == nil {
		return p, length, true
	}
	return p, min(max(*p.Cursor, 0), length), true
}

func (s *server) onComplete(r *request) {
	p, cursor, ok := s.position(r)
	if !ok {
		return
	}
	c := s.engine.Complete(p.Code, cursor)
	c.End = min(max(c.End, 0), utf8.RuneCountInString(p.Code))
	c.Start = min(max(c.Start, 0), c.End)
	if c.Matches == nil {
		c.Matches = []string{}
	}
	metadata := map[string]any{}
	if len(c.Types) == len(c.Matches) && len(c.Types) > 0 {
		types := make([]map[string]any, len(c.Types))
		for i := range c.Types {
			types[i] = map[string]any{"text": c.Matches[i], "type": c.Types[i], "start": c.Start, "end": c.End}
		}
		metadata["_jupyter_types_experimental"] = types // how front ends get icons next to completions
	}
	s.reply(r, "complete_reply", map[string]any{
		"status": "ok", "matches": c.Matches, "cursor_start": c.Start, "cursor_end": c.End, "metadata": metadata,
	})
}

func (s *server) onInspect(r *request) {
	p, cursor, ok := s.position(r)
	if !ok {
		return
	}
	d, found := s.engine.Inspect(p.Code, cursor, p.Detail)
	if !found {
		d = display.Data{}
	}
	content, err := bundle(d)
	if err != nil {
		s.fail(r, "InternalError", err.Error())
		return
	}
	delete(content, "transient")
	content["status"], content["found"] = "ok", found
	s.reply(r, "inspect_reply", content)
}

func (s *server) onIsComplete(r *request) {
	p, _, ok := s.position(r)
	if !ok {
		return
	}
	status, indent := s.engine.IsComplete(p.Code)
	content := map[string]any{"status": status}
	if status == "incomplete" {
		content["indent"] = indent
	}
	s.reply(r, "is_complete_reply", content)
}
