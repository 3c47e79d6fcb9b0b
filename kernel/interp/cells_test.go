package interp

import (
	"strings"
	"testing"
)

// TestCells runs what a Go user types, in one session: value is the text of a cell's value, out what it printed, fail a part of its error.
func TestCells(t *testing.T) {
	s := start(t, Options{})
	s.ok(`import ("bufio"; "bytes"; "context"; "encoding/json"; "errors"; "fmt"; "io"; "log"; "math"; "os"; "reflect"; "regexp"; "runtime"; "sort"; "strconv"; "strings"; "sync"; "time")`)
	s.ok("log.SetFlags(0)")
	for _, tt := range []struct{ code, value, out, fail string }{
		{code: "type Point struct{ X, Y int }\nfunc (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }\nfunc (p *Point) Scale(k int) { p.X *= k; p.Y *= k }\np := Point{1, 2}\np.Scale(3)\np.Add(Point{1, 1})", value: "{4 7}"},
		{code: "&p", value: "&{3 6}"},
		{code: `fmt.Printf("%v %+v %T\n", p, p, p)`, out: "{3 6} {X:3 Y:6} main.Point\n"},
		{code: "add := p.Add\nadd(Point{10, 10})", value: "{13 16}"},
		{code: "plus := Point.Add\nplus(Point{1, 1}, Point{2, 2})", value: "{3 3}"},
		{code: "scale := (*Point).Scale\nscale(&p, 2)\np", value: "{6 12}"},
		{code: "points := map[string]Point{\"a\": {1, 2}, \"b\": {3, 4}}\npoints[\"a\"].X", value: "1"},
		{code: "points", value: "map[a:{1 2} b:{3 4}]"},
		{code: "points[\"zz\"]", value: "{0 0}"},
		{code: "points[\"a\"].X = 5", fail: either("cannot take the address of a map element", "cannot assign to struct field points[\"a\"].X in map")},
		{code: "q := points[\"a\"]\nq.X = 5\npoints[\"a\"] = q\npoints[\"a\"].X", value: "5"},
		{code: "func counter() func() int { n := 0; return func() int { n++; return n } }\nnext := counter()\nnext(); next(); next()", value: "3"},
		{code: "func safe(f func()) (err error) {\n\tdefer func() {\n\t\tif r := recover(); r != nil { err = fmt.Errorf(\"recovered: %v\", r) }\n\t}()\n\tf()\n\treturn nil\n}\nsafe(func() { var a []int; _ = a[3] })", value: either("recovered: runtime error: index out of range", "recovered: runtime error: index out of range [3] with length 0")},
		{code: "safe(func() { panic(errors.New(\"own\")) })", value: "recovered: own"},
		{code: "func caught(f func()) (r interface{}) { defer func() { r = recover() }(); f(); return }\n_, isRuntime := caught(func() { var p *Point; _ = p.X }).(runtime.Error)\nisRuntime", value: "true"},
		{code: "outer:\nfor i := 0; i < 3; i++ {\n\tfor j := 0; j < 3; j++ {\n\t\tif j == 2 { continue outer }\n\t\tif i == 2 { break outer }\n\t\tfmt.Print(i, j, \";\")\n\t}\n}", out: "0 0;0 1;1 0;1 1;"},
		{code: "type Day int\nconst (\n\tSunday Day = iota\n\tMonday\n\tTuesday\n)\nfunc (d Day) String() string { return [...]string{\"Sun\", \"Mon\", \"Tue\"}[d] }\nMonday", value: "Mon"},
		{code: `fmt.Printf("%v %d %s|%5s|%q\n", Tuesday, Tuesday, Sunday, Monday, Monday)`, out: "Tue 2 Sun|  Mon|\"Mon\"\n"},
		{code: "const (\n\t_ = iota\n\tKB = 1 << (10 * iota)\n\tMB\n)\nMB", value: "1048576"},
		{code: "func kind(x interface{}) string {\n\tswitch v := x.(type) {\n\tcase nil: return \"nil\"\n\tcase int, int64: return fmt.Sprintf(\"int %v\", v)\n\tcase string: return \"string \" + v\n\tcase error: return \"error \" + v.Error()\n\tcase []int: return fmt.Sprint(\"slice \", len(v))\n\tcase func() int: return \"func\"\n\t}\n\treturn \"?\"\n}\nfmt.Println(kind(1), kind(\"a\"), kind(errors.New(\"e\")), kind([]int{1}), kind(nil), kind(2.5), kind(next))", out: "int 1 string a error e slice 1 nil ? func\n"},
		{code: "func sum(xs ...int) (t int) { for _, x := range xs { t += x }; return }\nsum(1, 2, 3) + sum([]int{4, 5}...) + sum()", value: "15"},
		{code: "type Base struct{ Name string }\nfunc (b Base) Hello() string { return \"hi \" + b.Name }\ntype Dog struct { Base; Age int }\nfunc (d Dog) Sound() string { return d.Name + \" says woof\" }\nd := Dog{Base{\"Rex\"}, 3}\nd.Hello() + \", \" + d.Sound()", value: "hi Rex, Rex says woof"},
		{code: "type Cat struct { Base }\nfunc (c *Cat) Sound() string { return \"miau\" }\ntype Animal interface { Sound() string }\nvar a Animal = d\na.Sound()", value: "Rex says woof"},
		{code: "for _, x := range []Animal{d, &Cat{}} { switch v := x.(type) { case Dog: fmt.Print(v.Age, \" \"); case *Cat: fmt.Print(v.Sound()) } }", out: "3 miau"},
		{code: "if dd, ok := a.(Dog); ok { fmt.Print(dd.Age) }\n_, isCat := a.(*Cat)\nisCat", value: "false", out: "3"},
		{code: "anon := struct{ A int; B string }{1, \"x\"}\nanon", value: "{1 x}"},
		{code: "list := []struct{ N string; V int }{{\"b\", 2}, {\"a\", 1}}\nsort.Slice(list, func(i, j int) bool { return list[i].N < list[j].N })\nlist", value: "[{a 1} {b 2}]"},
		{code: "type Person struct {\n\tName string `json:\"name\"`\n\tAge  int    `json:\"age,omitempty\"`\n}\nb, err := json.Marshal([]Person{{\"Ann\", 3}, {Name: \"Bob\"}})\nstring(b)", value: `[{"name":"Ann","age":3},{"name":"Bob"}]`},
		{code: "var people []Person\nerr = json.Unmarshal([]byte(`[{\"name\":\"Zed\",\"age\":9}]`), &people)\npeople[0].Name", value: "Zed"},
		{code: "strings.Join(strings.Fields(\" the quick  brown fox \"), \"-\")", value: "the-quick-brown-fox"},
		{code: "regexp.MustCompile(`(\\w+)@(\\w+)\\.com`).FindStringSubmatch(\"bob@example.com\")", value: "[bob@example.com bob example]"},
		{code: "t0 := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)\nt0.AddDate(1, 0, 0).Weekday()", value: "Saturday"},
		{code: "2 * time.Second", value: "2s"},
		{code: "type NotFound struct{ Key string }\nfunc (e *NotFound) Error() string { return \"not found: \" + e.Key }\nfunc find(k string) error { return fmt.Errorf(\"find: %w\", &NotFound{k}) }\nvar nf *NotFound\nerrors.As(find(\"x\"), &nf) && nf.Key == \"x\"", value: "true"},
		{code: "var ErrBase = errors.New(\"base\")\nerrors.Is(fmt.Errorf(\"w: %w\", ErrBase), ErrBase)", value: "true"},
		{code: "x := []int{1, 2, 3}\nx[5]", fail: "index out of range"},
		{code: "x[1:9]", fail: "slice bounds out of range"},
		{code: "var mm map[string]int\nmm[\"a\"]++", fail: "assignment to entry in nil map"},
		{code: "min(x[0], 2, 3.0) + max(1, 2)", value: "3"},
		{code: "max(1, 2.5)", value: "2.5"},
		{code: "for i := range 3 { fmt.Print(i) }", out: "012"},
		{code: "var u1, u2 = strconv.Atoi(\"5\")\nu1", value: "5"},
		{code: "raw := `line 1\n  line 2\n%vars\n` + \"`\"\nfmt.Print(raw)", out: "line 1\n  line 2\n%vars\n`"},
		{code: "// only a comment"},
		{code: "/* block\ncomment */"},
		{code: ""},
		{code: "x := 5"},
		{code: "x := \"now a string\"\nx", value: "now a string"},
		{code: "if x := 3; x > 2 { fmt.Print(\"inner \", x, \" \") }\nx", value: "now a string", out: "inner 3 "},
		{code: "import \"unicode\""},
		{code: "var iface interface{} = 5\niface.(int)", value: "5"},
		{code: "iface.(string)", fail: "interface conversion"},
		{code: "(iface.(string))", fail: "interface conversion"},
		{code: "ages := map[string]int{\"ann\": 1}\nfmt.Print(ages[\"ann\"], \" \"); fmt.Print((ages[\"bob\"]))", out: "1 0"},
		{code: "fmt.Sprint(iface.(int))", value: "5"},
		{code: "fmt.Println(iface.(string))", fail: "interface conversion"},
		{code: "func count(list ...interface{}) int { return len(list) }\ncount(ages[\"ann\"]) + count(iface.(int))", value: "2"},
		{code: "func same(n int) int { return n }\nfunc() int { defer same(ages[\"ann\"]); return same(ages[\"ann\"]) }()", value: "1"},
		{code: "type Age int\nAge(ages[\"ann\"]) + Age(iface.(int))", value: "6"},
		{code: "func closing(c chan int) { defer close(c) }\nopen := make(chan int)\nclosing(open)\n<-open", value: "0"},
		{code: "func forget(key string) int { defer delete(ages, key); key = \"other\"; return len(ages) }\nforget(\"ann\") + 10 * len(ages)", value: "1"},
		{code: "func unstopped() { defer recover(); panic(\"on\") }\nunstopped()", fail: "Panic: on"},
		{code: "func late() { defer panic(\"late\") }\nlate()", fail: "Panic: late"},
		{code: "str := iface.(string)", fail: "interface conversion"},
		{code: "[3]int{1, 2, 3}", value: "[1 2 3]"},
		{code: "[]byte(\"hi\")", value: "[104 105]"},
		{code: "'a'", value: "97"},
		{code: "3 + 4i", value: "(3+4i)"},
		{code: "func bad() (int, error) { return 3, errors.New(\"bad\") }\nbad()", fail: "Error: bad"},
		{code: "v, err := bad()"},
		{code: "err", value: "bad"},
		{code: "var wg sync.WaitGroup\nres := make([]int, 5)\nfor i := 0; i < 5; i++ {\n\twg.Add(1)\n\tgo func() { defer wg.Done(); res[i] = i * i }()\n}\nwg.Wait()\nres", value: "[0 1 4 9 16]"},
		{code: "ch, done := make(chan int), make(chan bool)\ngo func() { for v := range ch { fmt.Print(\"got \", v, \" \") }; done <- true }()\nfor i := 0; i < 3; i++ { ch <- i }\nclose(ch)\n<-done", value: "true", out: "got 0 got 1 got 2 "},
		{code: "select {\ncase <-time.After(5 * time.Millisecond): fmt.Print(\"timeout\")\ncase v := <-make(chan int): fmt.Print(v)\n}", out: "timeout"},
		{code: "c2, cancel := context.WithTimeout(ctx, 5*time.Millisecond)\ndefer cancel()\n<-c2.Done()\nc2.Err()", value: "context deadline exceeded"},
		{code: "var mu sync.Mutex\nfunc locked() { mu.Lock(); defer mu.Unlock(); fmt.Print(\"in\") }\nlocked()\nlocked()", out: "inin"},
		{code: "var once sync.Once\nonce.Do(func() { fmt.Print(\"once\") }); once.Do(func() { fmt.Print(\"twice\") })", out: "once"},
		{code: "type Stack struct { items []int }\nfunc (s *Stack) Push(x int) { s.items = append(s.items, x) }\nfunc (s *Stack) Pop() int { x := s.items[len(s.items)-1]; s.items = s.items[:len(s.items)-1]; return x }\nvar st Stack\nst.Push(1); st.Push(2)\nst.Pop()", value: "2"},
		{code: "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfib(15)", value: "610"},
		{code: "var sb strings.Builder\nsb.WriteString(\"abc\"); fmt.Fprintf(&sb, \"%03d\", 7)\nsb.String()", value: "abc007"},
		{code: "var buf bytes.Buffer\nbuf.WriteByte('x')\nio.ReadAll(&buf)", value: "[120]"},
		{code: "sc := bufio.NewScanner(strings.NewReader(\"a\\nb\"))\nfor sc.Scan() { fmt.Print(sc.Text()) }", out: "ab"},
		{code: "os.ReadFile(\"/does/not/exist\")", fail: "no such file"},
		{code: "func() { defer fmt.Print(\"deferred\"); fmt.Print(\"body \") }()", out: "body deferred"},
		{code: "arr := [5]int{1, 2, 3}\narr[1:3]", value: "[2 3]"},
		{code: "a1, b1 := 1, 2\na1, b1 = b1, a1\nfmt.Print(a1, b1)", out: "2 1"},
		{code: "var np *int\n*np", fail: "nil pointer dereference"},
		{code: "var fn func()\nfn()", fail: "nil pointer dereference"},
		{code: "zero := 0\n5 % zero", fail: "integer divide by zero"},
		{code: "n3 := -1\nmake([]int, n3)", fail: "makeslice: len out of range"},
		{code: "make([]byte, 1<<50)", fail: "out of range"},
		{code: "var e error\ne.Error()", fail: "nil pointer dereference"},
		{code: "panic(fmt.Errorf(\"wrapped %w\", io.EOF))", fail: "Panic: wrapped EOF"},
		{code: "panic(Tuesday)", fail: "Panic: Tue"},
		{code: "log.Fatalf(\"x %d\", 3)", fail: "Exit: exit status 1"},
		{code: "os.Exit(0)", fail: "Exit: exit status 0"},
		{code: "runtime.Goexit()", fail: either("Goexit would end", "runtime.Goexit ended the cell's goroutine")},
		{code: "reflect.TypeOf(3.5)", value: "float64"},
		{code: "fmt.Println(\"a\"", fail: "missing ',' before newline"},
		{code: "y := 1\n\nif true {\n\ty := := 3\n}", fail: "]:4"},
		{code: "return 5", fail: either("return outside function", "too many return values")},
		{code: "break", fail: either("break outside for/switch", "break not in for, switch, or select statement")},
		{code: "switch { case a1 == 2: fmt.Print(\"two\"); fallthrough; case false: fmt.Print(\"!\"); default: fmt.Print(\"no\") }", out: "two!"},
		{code: "const big = 1 << 100\nbig >> 98", value: "4"},
		{code: "const c8 uint8 = 300", fail: "overflows"},
		{code: "var i8 int8 = 127\ni8++\ni8", value: "-128"},
		{code: `fmt.Sprintf("%5.2f|%-5s|%05d|%x|%q|%t", 3.14159, "a", 42, 255, "q", true)`, value: ` 3.14|a    |00042|ff|"q"|true`},
		{code: "x1 := 1; y1 := 2; x1 + y1", value: "3"},
		{code: "type (\n\tA1 int\n\tB1 = string\n)\nvar b2 B1 = \"alias\"\nb2", value: "alias"},
		{code: "func named() (a, b int, err error) { a = 1; b = 2; return }\nnamed()", value: "1 2"},
		{code: "func two() (int, int) { return 1, 2 }\nfunc add2(a, b int) int { return a + b }\nadd2(two())", value: "3"},
		{code: "type Op func(int, int) int\nops := map[string]Op{\"+\": func(a, b int) int { return a + b }}\nops[\"+\"](3, 4)", value: "7"},
		{code: "var matrix [2][3]int\nmatrix[1][2] = 5\nmatrix", value: "[[0 0 0] [0 0 5]]"},
		{code: "map[string][]int{\"a\": {1, 2}}", value: "map[a:[1 2]]"},
		{code: "defer fmt.Print(\"end\")\nfmt.Print(\"start \")", out: "start end"},
		{code: "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Print(\"main\")\n}"},
		{code: "main()", out: "main"},
		{code: "math.Inf(1)", value: "+Inf"},
	} {
		o := s.run(tt.code)
		if tt.fail != "" {
			if o.failure == nil || !strings.Contains(strings.Join(o.failure.Traceback, "\n"), tt.fail) {
				t.Errorf("%s\nerror %v, want %q", tt.code, o.failure, tt.fail)
			}
			continue
		}
		if o.failure != nil || o.value != tt.value || o.out != tt.out {
			t.Errorf("%s\nvalue %q, output %q, error %v; want %q and %q", tt.code, o.value, o.out, o.failure, tt.value, tt.out)
		}
	}
}

// TestGenerics: gomacro refuses generics and iterators, the next engine runs them.
func TestGenerics(t *testing.T) {
	s := start(t, Options{})
	s.ok("import \"fmt\"")
	for _, tt := range []struct{ code, fail, value, out string }{
		{code: "func gen[T any](x T) T { return x }\ngen(3)", fail: "the interpreter has no generics", value: "3"},
		{code: "type Pair[A, B any] struct { X A; Y B }\nPair[int, string]{1, \"a\"}", fail: "the interpreter has no generics", value: "{1 a}"},
		{code: "for v := range func(yield func(int) bool) { yield(1) } { fmt.Print(v) }", fail: "no range over functions", out: "1"},
	} {
		o := s.run(tt.code)
		switch {
		case onNext && (o.failure != nil || o.value != tt.value || o.out != tt.out):
			t.Errorf("%s\nvalue %q, output %q, error %v; want %q and %q", tt.code, o.value, o.out, o.failure, tt.value, tt.out)
		case !onNext && (o.failure == nil || !strings.Contains(o.failure.Value, tt.fail)):
			t.Errorf("%s\nerror %v, want %q", tt.code, o.failure, tt.fail)
		}
	}
}

// TestStrictness: gomacro accepts what compilers refuse, the next engine does not.
func TestStrictness(t *testing.T) {
	s := start(t, Options{})
	for code, want := range map[string]string{
		"x := 1; x := 2": "no new variables on left side of :=",
		"func unusedLocal() int { unused := 1; return 2 }": "declared and not used: unused",
		"func missing() int { }":                           "missing return",
	} {
		o := s.run(code)
		if onNext != (o.failure != nil) || onNext && !strings.Contains(o.failure.Value, want) {
			t.Errorf("%s\nerror %v, want %q of compilers only", code, o.failure, want)
		}
	}
}
