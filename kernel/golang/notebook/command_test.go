package notebook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// commandCell is a cell with commands and what it shows.
type commandCell struct {
	code string
	out  []string // parts of the output, in order
	want string   // value
	fail string   // part of the error
}

func TestCommands(t *testing.T) {
	s := start(t, lab())
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("LAB_TOKEN", "hush")
	t.Setenv("LAB_PLAIN", "seen")
	file := filepath.Join(dir, "prog.go")
	expect.NoError(t, os.WriteFile(file, []byte("package main\n\nimport \"strings\"\n\n"+
		"func shout(s string) string { return strings.ToUpper(s) }\n"), 0o600))
	expect.NoError(t, os.Mkdir("sub", 0o700))
	tests := []commandCell{
		{"%help", []string{"%cd", "%writefile", "$COMMAND", "%%echo"}, "", ""},
		{"%cd sub\n$pwd", []string{"sub\n"}, "", ""},
		{"%cd ..\n$ls", []string{"prog.go", "sub"}, "", ""},
		{"%cd nowhere", nil, "", "nowhere"},
		{"%go111module on", nil, "", ""},
		{"%go111module maybe", nil, "", "on or off"},
		{"%env LAB_PLAIN", []string{"seen\n"}, "", ""},
		{"%env LAB_NEW=a b\n$echo \"$LAB_NEW\"", []string{"a b\n"}, "", ""},
		{"%env LAB_UNSET_NAME", nil, "", "not set"},
		{"%env", []string{"LAB_PLAIN=seen", "LAB_TOKEN=<hidden>"}, "", ""},
		{"%run prog.go\nshout(\"a\")", nil, "A", ""},
		{"%run nothing.go", nil, "", "nothing.go"},
		{"%load nothing.go", nil, "", "nothing.go"},
		{"%load", nil, "", "which file"},
		{"%run", nil, "", "which file"},
		{"// %load prog.go\npackage main\n\nimport \"strings\"\n\n" +
			"func quiet(s string) string { return strings.ToLower(s) }\nquiet(\"B\")", nil, "b", ""},
		{"%env LAB_BOTH some value\n%env LAB_BOTH", []string{"some value\n"}, "", ""},
		{"%cd ~\n%cd " + dir, nil, "", ""},
		{"%reset x", nil, "", "%reset forgets everything"},
		{"%reset\n%vars", nil, "", ""},
		{"%writefile", nil, "", "which file"},
		{"%%timeit\nx := 0\nfor i := range 10 { x += i }", []string{"per run"}, "", ""},
		{"%writefile out.txt\nline 1\nx := `\n%vars", []string{"wrote 20 bytes to out.txt"}, "", ""},
		{"%%writefile -a out.txt\nmore", []string{"wrote 5 bytes"}, "", ""},
		{"$cat out.txt", []string{"line 1\nx := `\n%vars\nmore\n"}, "", ""},
		{"%time 1+2", []string{"time: "}, "3", ""},
		{"%%time\nx := 1\nx + 1", []string{"time: "}, "2", ""},
		{"%timeit 1+1", []string{"per run"}, "", ""},
		{"%time nope()", nil, "", "undefined: nope"},
		{"a := 1\n%time b := a + 1\nb * 2", []string{"time: "}, "4", ""},
		{"if true {\n\ta = 7\n}\n%vars\na", []string{"a  ", "int", "7"}, "7", ""},
		{"$exit 3", nil, "", "exit status 3"},
		{"$echo one; echo two >&2", []string{"one\n"}, "", ""},
		{"%nope", nil, "", "unknown command %nope; %help lists all"},
		{"%vasr", nil, "", "unknown command %vasr; did you mean %vars?"},
		{"%Load x", nil, "", "did you mean %load?"},
		{"%%eco\nx", nil, "", "did you mean %%echo?"},
		{"%%nope\nx", nil, "", "%%echo"},
		{"%%echo some args\nbody 1\nbody 2", nil, "some args|body 1\nbody 2", ""},
		{"// a comment first\n\n%%echo x\ny", nil, "x|y", ""},
		{"%%echo fail", nil, "", "the magic failed"},
		{"?lab.Train", nil, "func lab.Train(context.Context, func(int)) error\n\nTrain calls step until ctx ends.", ""},
		{"?nothing.atall", nil, "", "nothing is known"},
		{"?", nil, "", "expected a name"},
	}
	for _, tt := range tests {
		checkCommand(t, s, tt)
	}
	if o := s.ok("lab?"); !strings.HasPrefix(o.value, "package lab // import \"example.com/lab\"\n\n"+
		"Package lab is an example.\n\n") ||
		!strings.Contains(o.value, "\nfunc lab.Must()\n") {
		t.Errorf("lab?: %s", o.value)
	}
	o := s.ok("%load prog.go")
	if len(o.payload) != 1 || o.payload[0]["source"] != "set_next_input" || o.payload[0]["replace"] != true ||
		!strings.HasPrefix(o.payload[0]["text"].(string), "// %load prog.go\npackage main\n") || o.value != "" {
		t.Errorf("%%load: payload %v, value %q", o.payload, o.value)
	}
	if o := s.ok("$echo two >&2"); o.err != "two\n" {
		t.Errorf("stderr of a command: %q", o.err)
	}
}

// checkCommand runs a cell with commands.
func checkCommand(t *testing.T, s *session, tt commandCell) {
	t.Helper()
	o := s.run(tt.code)
	if tt.fail != "" {
		if o.failure == nil || !strings.Contains(strings.Join(o.failure.Traceback, "\n"), tt.fail) {
			t.Errorf("%s: error %v, want %q", tt.code, o.failure, tt.fail)
		}
		return
	}
	if o.failure != nil {
		t.Errorf("%s: %s", tt.code, strings.Join(o.failure.Traceback, "\n"))
		return
	}
	rest := o.out
	for _, part := range tt.out {
		i := strings.Index(rest, part)
		if i < 0 {
			t.Errorf("%s: no %q in %q", tt.code, part, o.out)
			break
		}
		rest = rest[i+len(part):]
	}
	if o.value != tt.want {
		t.Errorf("%s: value %q, want %q", tt.code, o.value, tt.want)
	}
}

func TestReset(t *testing.T) {
	s := start(t, lab())
	s.ok("import \"fmt\"\nx := 1\nfunc f() {}\ntype T struct{}")
	s.ok("%reset")
	for _, code := range []string{"x", "f()", "T{}", "fmt.Println()"} {
		if o := s.run(code); o.failure == nil {
			t.Errorf("%s is still there", code)
		}
	}
	if o := s.ok("%vars"); o.out != "" {
		t.Errorf("%%vars: %s", o.out)
	}
	if o := s.ok("x := 2\nlab.Inc(x)"); o.value != "3" {
		t.Errorf("value %s", o.value)
	}
	s.ok("Display(display.HTML(\"\"))")
	if o := s.ok("ctx.Err() == nil"); o.value != "true" {
		t.Errorf("ctx: %s", o.value)
	}
}
