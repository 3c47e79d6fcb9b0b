package notebook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// joined is what was written, with neighbours of one stream as one text.
func (f *fakeIO) joined() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.order {
		name, text, _ := strings.Cut(x, ": ")
		if last := len(list) - 1; last >= 0 && strings.HasPrefix(list[last], name+": ") {
			list[last] += text
		} else {
			list = append(list, x)
		}
	}
	f.order = nil
	return list
}

// TestOrderOfStreams: what a cell writes to standard output and error, in every way that it may, is passed on in the
// order of writing. The ways that go through compiled code alone are behind ones that do not.
func TestOrderOfStreams(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("bufio"; "encoding/json"; "fmt"; "io"; "log"; "log/slog"; "os"; "os/exec")
log.SetFlags(0)
type T struct{ X int }
func (t T) String() string { fmt.Fprint(os.Stderr, "in String "); return "T" }
var quiet = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "time" { return slog.Attr{} }
	return a
}}))`)
	ways := map[string][]string{ // out, err
		"fmt":      {`fmt.Println("%s")`, `fmt.Fprintln(os.Stderr, "%s")`},
		"printf":   {`fmt.Printf("%v\n", "%s")`, `fmt.Fprintf(os.Stderr, "%v\n", "%s")`},
		"print":    {`fmt.Print("%s\n")`, `println("%s")`},
		"log":      {`os.Stdout.WriteString("%s\n")`, `log.Print("%s")`},
		"file":     {`os.Stdout.Write([]byte("%s\n"))`, `os.Stderr.WriteString("%s\n")`},
		"writer":   {`var o io.Writer = os.Stdout; o.Write([]byte("%s\n"))`, `var e io.StringWriter = os.Stderr; e.WriteString("%s\n")`},
		"compiled": {`fmt.Println("%s")`, `quiet.Warn("x"); fmt.Fprintln(os.Stderr, "%s")`},
		"json":     {`json.NewEncoder(os.Stdout).Encode("x"); fmt.Println("%s")`, `fmt.Fprintln(os.Stderr, "%s")`},
		"bufio":    {`b := bufio.NewWriter(os.Stdout); b.WriteString("x"); b.Flush(); fmt.Println("%s")`, `log.Print("%s")`},
		"child":    {`c := exec.Command("echo", "x"); c.Stdout = os.Stdout; c.Run(); fmt.Println("%s")`, `log.Print("%s")`},
		"defined":  {`fmt.Println("%s")`, `println("%s")`},
	}
	before := map[string][2]string{"compiled": {"", "level=WARN msg=x\n"}, "json": {"\"x\"\n", ""}, "bufio": {"x", ""}, "child": {"x\n", ""}}
	for name, way := range ways {
		s.io.joined()
		s.ok("for i := range 20 {\n{" + strings.ReplaceAll(way[0], `"%s`, `"out`) + "}\n{" + strings.ReplaceAll(way[1], `"%s`, `"err`) + "}\n_ = i\n}")
		s.io.mu.Lock()
		for i, x := range s.io.order {
			s.io.order[i] = strings.Replace(x, fmt.Sprint(" of cell ", s.io.bound), "", 1)
		}
		s.io.mu.Unlock()
		got := s.io.joined()
		var want []string
		for range 20 {
			want = append(want, "out: "+before[name][0]+"out\n", "err: "+before[name][1]+"err\n")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	s.io.joined()
	if s.ok("fmt.Println(T{1})"); !slices.Equal(s.io.joined(), []string{
		fmt.Sprintf("err of cell %d: in String ", s.io.bound), fmt.Sprintf("out of cell %d: T\n", s.io.bound)}) {
		t.Error("a method that prints while its value is printed")
	}
}

// TestOrderOfCompiledWriters: the order also holds where compiled code alone writes to both streams, which it was given
// as writers. A cell gets the file back that it gave.
func TestOrderOfCompiledWriters(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("bufio"; "encoding/json"; "io"; "log"; "os"; "strings"; "text/tabwriter")
errors := log.New(os.Stderr, "", 0)
encoder := json.NewEncoder(os.Stdout)
table := tabwriter.NewWriter(os.Stdout, 0, 1, 1, ' ', 0)
buffer := bufio.NewWriter(os.Stderr)
both := io.MultiWriter(os.Stdout, os.Stderr)`)
	s.io.joined()
	s.ok(`for range 20 {
	encoder.Encode(1)
	errors.Print(2)
	io.WriteString(table, "a\tb\n")
	table.Flush()
	buffer.ReadFrom(strings.NewReader("buffered\n"))
	buffer.Flush()
	io.Copy(os.Stdout, strings.NewReader("copied\n"))
	both.Write([]byte("both\n"))
}`)
	cell := s.io.bound
	var want []string
	for range 20 {
		for _, text := range []string{"out: 1\n", "err: 2\n", "out: a b\n", "err: buffered\n", "out: copied\nboth\n", "err: both\n"} {
			name, text, _ := strings.Cut(text, ": ")
			want = append(want, fmt.Sprintf("%s of cell %d: %s", name, cell, text))
		}
	}
	if got := s.io.joined(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if o := s.ok("errors.Writer() == os.Stderr"); o.value != "true" {
		t.Errorf("the writer of a logger is standard error: %s", o.value)
	}
}

// TestOutputOfGoroutines: it goes to the cell that started the goroutine, also of one that compiled code started for
// the cell, and of the goroutines of goroutines.
func TestOutputOfGoroutines(t *testing.T) {
	s := start(t, notebook.Options{})
	s.ok(`import ("encoding/json"; "fmt"; "log"; "os"; "sync"; "time")
encoder := json.NewEncoder(os.Stdout)
log.SetFlags(0)
turn, done := make(chan string), make(chan bool)`)
	prints := `fmt.Println("a", x); log.Print("b ", x); println("c", x); os.Stdout.WriteString("d\n"); encoder.Encode(x); Display(x)`
	for name, code := range map[string]string{
		"go":               "go func() { x := <-turn; " + prints + "; done <- true }()",
		"go of a go":       "go func() { go func() { x := <-turn; " + prints + "; done <- true }() }()",
		"method":           "type P struct{}\nfunc (P) run() { x := <-turn; " + prints + "; done <- true }\ngo P{}.run()",
		"compiled":         "time.AfterFunc(1, func() { x := <-turn; " + prints + "; done <- true })",
		"WaitGroup":        "var wg sync.WaitGroup\nwg.Go(func() { x := <-turn; " + prints + "; done <- true })",
		"through compiled": "go func() { var once sync.Once; once.Do(func() { x := <-turn; " + prints + "; done <- true }) }()",
	} {
		s.ok(code)
		of := s.io.bound
		s.ok("1")
		s.io.joined()
		s.ok("fmt.Println(\"now\")\nturn <- \"x\"\n<-done\nfmt.Println(\"then\")")
		want := []string{
			fmt.Sprintf("out of cell %d: now\n", of+2), fmt.Sprintf("out of cell %d: a x\n", of),
			fmt.Sprintf("err of cell %d: b x\nc x\n", of), fmt.Sprintf("out of cell %d: d\n\"x\"\n", of),
			fmt.Sprintf("shown of cell %d", of), fmt.Sprintf("out of cell %d: then\n", of+2),
		}
		if got := s.io.joined(); !slices.Equal(got, want) {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
	of := s.io.bound + 1
	s.ok("go func() { <-turn; panic(\"late\") }()")
	s.ok("turn <- \"x\"\ntime.Sleep(200 * time.Millisecond)")
	if got := s.io.joined(); len(got) == 0 || !strings.HasPrefix(got[len(got)-1], fmt.Sprintf("err of cell %d: panic in a goroutine", of)) {
		t.Errorf("a panic: %q", got)
	}
}
