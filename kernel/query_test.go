package kernel

import (
	"encoding/json"
	"testing"

	"github.com/spherelab/spherelab/kernel/wire"
)

func TestKernelInfo(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		for channel, from := range map[string]chan *wire.Message{"shell": c.shell, "control": c.control} {
			id := c.send(channel, "kernel_info_request", map[string]any{})
			info := fields(t, c.reply(from, channel, id))
			if info["protocol_version"] != "5.4" || info["implementation"] != "fakeimpl" ||
				info["implementation_version"] != "2.0" || info["banner"] != "a fake" || info["status"] != "ok" {
				t.Errorf("%s: %v", channel, info)
			}
			if l := info["language_info"].(map[string]any); l["name"] != "fake" || l["file_extension"] != ".fake" ||
				l["mimetype"] != "text/x-fake" || l["version"] != "1.0" {
				t.Errorf("language_info %v", l)
			}
			if links, _ := json.Marshal(info["help_links"]); string(links) != `[{"text":"help","url":"https://example.org"}]` {
				t.Errorf("help_links %s", links)
			}
			if o := c.outputs(id); o.types() != "" {
				t.Errorf("published %q", o.types())
			}
		}
	})
}

// Offsets count code points, whatever is in the code.
func TestComplete(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	for _, test := range []struct {
		code       string
		cursor     any
		start, end float64
		word       string
	}{
		{"foo", 3, 0, 3, "foo"},
		{"foo", nil, 0, 3, "foo"},
		{"größe 😀 wört rest", 12, 8, 12, "wört"},
		{"𝔘𝔫𝔦", 2, 0, 2, "𝔘𝔫"},
		{"foo", 99, 0, 3, "foo"},
		{"foo", -5, 0, 0, ""},
		{"", 0, 0, 0, ""},
	} {
		r := c.ask("complete_request", map[string]any{"code": test.code, "cursor_pos": test.cursor})
		if r["status"] != "ok" || r["cursor_start"] != test.start || r["cursor_end"] != test.end {
			t.Errorf("%q at %v: %v", test.code, test.cursor, r)
		}
		if matches, _ := json.Marshal(r["matches"]); string(matches) != `["`+test.word+`one","`+test.word+`two"]` {
			t.Errorf("%q at %v: matches %s", test.code, test.cursor, matches)
		}
		types := r["metadata"].(map[string]any)["_jupyter_types_experimental"].([]any)
		if first := types[0].(map[string]any); first["type"] != "function" || first["start"] != test.start {
			t.Errorf("%q: types %v", test.code, types)
		}
	}
	if r := c.ask("complete_request", map[string]any{"code": "panic"}); r["status"] != "error" {
		t.Errorf("a panic of the engine: %v", r)
	}
	if r := c.ask("complete_request", map[string]any{"code": []int{1}}); r["status"] != "error" {
		t.Errorf("code that is not a string: %v", r)
	}
}

func TestInspectAndIsComplete(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	r := c.ask("inspect_request", map[string]any{"code": "größe", "cursor_pos": 4, "detail_level": 1})
	if r["found"] != true || r["data"].(map[string]any)["text/plain"] != "4 of 5, detail 1" || r["metadata"] == nil {
		t.Errorf("%v", r)
	}
	if r := c.ask("inspect_request", map[string]any{"code": "", "cursor_pos": 0}); r["found"] != false ||
		r["status"] != "ok" || len(r["data"].(map[string]any)) != 0 {
		t.Errorf("nothing found: %v", r)
	}
	for code, want := range map[string]string{"x": `{"status":"complete"}`,
		"f {": `{"indent":"\t","status":"incomplete"}`, "}": `{"status":"invalid"}`} {
		if got, _ := json.Marshal(c.ask("is_complete_request", map[string]any{"code": code})); string(got) != want {
			t.Errorf("%q: %s", code, got)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	for _, code := range []string{"value 1/2", "print x", "value 1/2", "value 3"} {
		c.run(code)
	}
	for request, want := range map[string]string{
		`{"hist_access_type":"tail","n":2}`:                             `[[1,3,"value 1/2"],[1,4,"value 3"]]`,
		`{"hist_access_type":"tail","n":1,"output":true}`:               `[[1,4,["value 3","3"]]]`,
		`{"hist_access_type":"tail","n":100}`:                           `[[1,1,"value 1/2"],[1,2,"print x"],[1,3,"value 1/2"],[1,4,"value 3"]]`,
		`{"hist_access_type":"tail"}`:                                   `[[1,1,"value 1/2"],[1,2,"print x"],[1,3,"value 1/2"],[1,4,"value 3"]]`,
		`{"hist_access_type":"range","session":0,"start":2,"stop":4}`:   `[[1,2,"print x"],[1,3,"value 1/2"]]`,
		`{"hist_access_type":"range","session":1,"start":4}`:            `[[1,4,"value 3"]]`,
		`{"hist_access_type":"range","session":-1,"start":1,"stop":9}`:  `[]`,
		`{"hist_access_type":"search","pattern":"value*"}`:              `[[1,1,"value 1/2"],[1,3,"value 1/2"],[1,4,"value 3"]]`,
		`{"hist_access_type":"search","pattern":"value*","n":2}`:        `[[1,3,"value 1/2"],[1,4,"value 3"]]`,
		`{"hist_access_type":"search","pattern":"*1?2","unique":true}`:  `[[1,3,"value 1/2"]]`,
		`{"hist_access_type":"search","pattern":"["}`:                   `[]`,
		`{"hist_access_type":"search","pattern":"print x"}`:             `[[1,2,"print x"]]`,
		`{"hist_access_type":"range","start":2,"stop":3,"output":true}`: `[[1,2,["print x",null]]]`,
	} {
		r := c.ask("history_request", json.RawMessage(request))
		if got, _ := json.Marshal(r["history"]); string(got) != want || r["status"] != "ok" {
			t.Errorf("%s\n got %s\nwant %s", request, got, want)
		}
	}
}

func TestConnectAndUnknownRequests(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "tcp", options{})
	c := k.connect(t)
	if r := c.ask("connect_request", map[string]any{}); r["shell_port"] != float64(k.conn.ShellPort) ||
		r["hb_port"] != float64(k.conn.HBPort) {
		t.Errorf("%v", r)
	}
	if r := c.ask("debug_request", map[string]any{}); r["status"] != "error" {
		t.Errorf("%v", r)
	}
	id := c.send("shell", "nonsense", map[string]any{})
	if o := c.outputs(id); o.types() != "" {
		t.Errorf("%q", o.types())
	}
}

// The kernel has no comm targets: what a front end opens is closed at once.
func TestComms(t *testing.T) {
	t.Parallel()
	k := startKernel(t, "ipc", options{})
	c := k.connect(t)
	o := c.outputs(c.send("shell", "comm_open", map[string]any{"comm_id": "c1", "target_name": "nobody",
		"data": map[string]any{}}))
	if o.types() != "comm_close" || fields(t, o.iopub[0])["comm_id"] != "c1" {
		t.Errorf("unknown target: %q", o.types())
	}
	for _, msgType := range []string{"comm_msg", "comm_close"} {
		if o := c.outputs(c.send("shell", msgType, map[string]any{"comm_id": "c1",
			"data": map[string]any{}})); o.types() != "" {
			t.Errorf("%s: %q", msgType, o.types())
		}
	}
	for _, request := range []string{`{}`, `{"target_name":"nobody"}`} {
		if got, _ := json.Marshal(c.ask("comm_info_request", json.RawMessage(request))["comms"]); string(got) != `{}` {
			t.Errorf("comm_info %s: %s", request, got)
		}
	}
	// Malformed comm messages are counted, nothing else happens.
	c.outputs(c.send("shell", "comm_msg", map[string]any{"data": 1}))
	if n := k.counters.malformed.Load(); n != 1 {
		t.Errorf("%d malformed messages were counted", n)
	}
}
