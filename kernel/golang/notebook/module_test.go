package notebook_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// unpack writes the files of an archive into a folder.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	expect.NoError(t, err)
	for _, f := range a.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.NoError(t, os.WriteFile(path, f.Data, 0o600))
	}
}

// zoo starts a session in a folder of notebooks that has the modules of testdata/zoo.txtar, without a network.
func zoo(t *testing.T) (s *session, dir string) {
	t.Helper()
	needGo(t)
	archive, err := filepath.Abs("testdata/zoo.txtar")
	expect.NoError(t, err)
	dir = t.TempDir()
	unpack(t, archive, dir)
	t.Setenv("GOPROXY", "off")
	t.Chdir(dir)
	s = start(t, notebook.Options{})
	if o := s.ok("%get ./food ./zoo"); o.out != "example.com/food/v2 in ./food\nexample.com/zoo in ./zoo\n" {
		t.Fatalf("%%get: %q", o.out)
	}
	return s, dir
}

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		missing(t, "no go command on PATH; put one there")
	}
}

// zooProgram uses what a package of a module has.
const zooProgram = `fmt.Println(zoo.Total, zoo.Log())
cage := new(zoo.Cage[zoo.Animal]).Put(zoo.New("ant", 6), zoo.New("emu", 2))
fmt.Println(zoo.Each(cage, func(a zoo.Animal) int { return a.Legs * 10 }), cage.Held[0], cage.Held[1].Eats())
fmt.Printf("%T %T %v %+v\n", cage, zoo.New, zoo.Loop(), *cage)
fmt.Print(zoo.Title, zoo.Notes, zoo.Deep, len(zoo.Bytes), " ", pure.Twice(21), "\n")
err := fs.WalkDir(zoo.Files, ".", func(path string, d fs.DirEntry, err error) error {
	fmt.Println(path, d.IsDir(), err)
	return nil
})
text, missing := zoo.Files.ReadFile("text/deep/a.txt")
fmt.Println(err, string(text), missing)
_, missing = zoo.Files.ReadFile("text/_left_out.txt")
fmt.Println(missing)
`

const zooImports = "import (\"fmt\"; \"io/fs\"; \"example.com/zoo\"; \"example.com/zoo/pure\")\n"

// TestModule compares what a cell prints by a module with what compiled Go prints.
func TestModule(t *testing.T) {
	s, dir := zoo(t)
	o := s.ok(zooImports + zooProgram)
	main := filepath.Join(dir, "main.go")
	expect.NoError(t, os.WriteFile(main, []byte("package main\n"+zooImports+"func main() {\n"+zooProgram+"}"), 0o600))
	cmd := exec.Command("go", "run", "-tags=purego", main)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	want, err := cmd.CombinedOutput()
	if err != nil || o.out != string(want) {
		t.Errorf("the cell prints\n%s\ncompiled\n%s%v", o.out, want, err)
	}
	if o := s.ok("zoo.Log()"); o.value != "second, first, init 1, init 2" {
		t.Errorf("the package was initialized again: %s", o.value)
	}
	if o := s.ok("%get"); o.out != "example.com/food/v2 in ./food\nexample.com/zoo in ./zoo\n" {
		t.Errorf("%%get lists %q", o.out)
	}
	o = s.run("zoo.Feed(nil)")
	if o.failure == nil {
		t.Fatal("no panic")
	}
	if text := strings.Join(o.failure.Traceback, "\n"); !strings.Contains(text, "\n./zoo/second.go:8 in example.com/zoo.Feed\n"+
		"    return len(a.Name) // which panics for nil\ncell [5]:1\n") {
		t.Errorf("the panic of a module: %s", text)
	}
}

// TestModuleRefused has the message for each package that cells cannot import.
func TestModuleRefused(t *testing.T) {
	s, _ := zoo(t)
	const remedy = ": use a package in Go, or a kernel that it is linked into: docs/kernel.md, \"Linking further packages\""
	const strayEmbed = ": a directive go:embed needs a line of its own above a variable of the package"
	for path, want := range map[string]string{
		"asm": `package "example.com/zoo/asm" needs assembly, which cells cannot use (./zoo/asm/asm.go:5: func double ` +
			`has no body in Go)` + remedy,
		"link": `package "example.com/zoo/link" needs a hidden function of another package, which cells cannot reach ` +
			`(./zoo/link/link.go:6: func nanotime, //go:linkname)` + remedy,
		"withc": `package "example.com/zoo/withc" needs cgo, which cells cannot use (./zoo/withc/c.go imports "C")` + remedy,
		"halfc": `package "example.com/zoo/halfc" needs cgo, which cells cannot use (./zoo/halfc/c.go imports "C")` + remedy +
			` (./zoo/halfc/half.go:3: undefined: one)`,
		"cycle": "./zoo/cycle/back/back.go:3: import cycle: example.com/zoo/cycle imports example.com/zoo/cycle/back imports " +
			"example.com/zoo/cycle",
		"lost": `./zoo/lost/lost.go:6: package "example.com/none/such" is not linked into this kernel, and ./go.mod ` +
			`requires no module with it: %get example.com/none/such adds one`,
		"none": "module example.com/zoo@latest found",
		"system": `./zoo/system/system.go:3: package "syscall" is not among the standard library's packages that this kernel ` +
			`has`,
		"above": `./zoo/system/system.go:3: package "syscall" is not among the standard library's packages that this kernel ` +
			`has`,
		"typo":           "./zoo/typo/typo.go:4: undefined: nmae",
		"program":        `"example.com/zoo/program" is a program and not a package that can be imported`,
		"empty":          `package "example.com/zoo/empty" of example.com/zoo has no Go files for`,
		"noembed":        "./zoo/noembed/noembed.go:6: go:embed: pattern nothing.txt: no matching files found",
		"stray":          "./zoo/stray/stray.go:5" + strayEmbed,
		"inner":          "./zoo/inner/inner.go:6" + strayEmbed,
		"group":          "./zoo/group/group.go:5" + strayEmbed,
		"behind":         "./zoo/behind/behind.go:5" + strayEmbed,
		"internal/order": `use of internal package "example.com/zoo/internal/order": only packages below "example.com/zoo" may`,
		"../none": `package "example.com/none" is not linked into this kernel, and ./go.mod requires no module with it: ` +
			`%get example.com/none adds one`,
	} {
		o := s.run("import \"" + filepath.ToSlash(filepath.Join("example.com/zoo", path)) + "\"")
		if o.failure == nil || o.failure.Name != "CompileError" || !strings.HasPrefix(o.failure.Value, want) {
			t.Errorf("%s: %v\nwant %s", path, o.failure, want)
		}
	}
}

// TestModuleInit: a package whose initialization panics is not imported, and can be when the cause is gone.
func TestModuleInit(t *testing.T) {
	s, dir := zoo(t)
	o := s.run("import \"example.com/zoo/sick\"\nsick.Text")
	if o.failure == nil || !strings.Contains(strings.Join(o.failure.Traceback, "\n"), "./zoo/sick/sick.go:10 in ") {
		t.Errorf("the panic of an initialization: %v", o.failure)
	}
	if o := s.run("sick.Text"); o.failure == nil || !strings.Contains(o.failure.Value, "undefined: sick") {
		t.Errorf("the package that failed: %v", o.failure)
	}
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "sick.txt"), []byte("well"), 0o600))
	if o := s.ok("import \"example.com/zoo/sick\"\nsick.Text"); o.value != "well" {
		t.Errorf("the package now: %q", o.value)
	}
}

// TestModuleNotCompiled: a cell that does not compile leaves no initialization of its modules to later cells.
func TestModuleNotCompiled(t *testing.T) {
	s, dir := zoo(t)
	for _, code := range []string{"import \"example.com/zoo/sick\"\nsick.Nothing", "import \"example.com/zoo/sick\"\nx :="} {
		if o := s.run(code); o.failure == nil || o.failure.Name == "Panic" {
			t.Errorf("%s: %v", code, o.failure)
		}
		if o := s.ok("3 * 7"); o.value != "21" {
			t.Errorf("a cell without the module: %q", o.value)
		}
	}
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "sick.txt"), []byte("well"), 0o600))
	if o := s.ok("sick.Text"); o.value != "well" {
		t.Errorf("the package by the name that the cells gave it: %q", o.value)
	}
}

// TestModuleWithoutDot imports packages whose path looks like one of the standard library.
func TestModuleWithoutDot(t *testing.T) {
	s, dir := zoo(t)
	files := "-- mylib/go.mod --\nmodule mylib\n-- mylib/m.go --\npackage mylib\nconst Legs = 8\n" +
		"-- mylib/internal/order/o.go --\npackage order\n" +
		"-- mine/go.mod --\nmodule sort\n-- mine/sort.go --\npackage sort\n" +
		"-- mine/geo/g.go --\npackage geo\nimport \"sort/unit\"\nconst Far = 5 * unit.Mile\n" +
		"-- mine/unit/u.go --\npackage unit\nconst Mile = 3\n"
	expect.NoError(t, os.WriteFile("more.txtar", []byte(files), 0o600))
	unpack(t, "more.txtar", dir)
	const other = `is not among the standard library's packages that this kernel has`
	for _, path := range []string{"mylib", "syscall"} {
		if o := s.run("import \"" + path + "\""); o.failure == nil || o.failure.Value != "package \""+path+"\" "+other {
			t.Errorf("%s before %%get: %v", path, o.failure)
		}
	}
	s.ok("%get ./mylib")
	if o := s.ok("import \"mylib\"\nmylib.Legs"); o.value != "8" {
		t.Errorf("the module of %%get: %q", o.value)
	}
	if o := s.run("import \"mylib/internal/order\""); o.failure == nil || !strings.HasPrefix(o.failure.Value,
		`use of internal package "mylib/internal/order"`) {
		t.Errorf("an internal package: %v", o.failure)
	}
	own := start(t, notebook.Options{Dir: filepath.Join(dir, "mine")})
	if o := own.ok("import (\"sort\"; \"sort/geo\")\nsort.IntsAreSorted([]int{geo.Far, 16})"); o.value != "true" {
		t.Errorf("a package of the user's module: %q", o.value)
	}
	if o := own.run("import \"sort/none\""); o.failure == nil || o.failure.Value != `package "sort/none" `+other {
		t.Errorf("a package that the module does not have: %v", o.failure)
	}
}

// TestGetRefused: %get changes neither a module of the user nor, if it fails, the notebooks' go.mod.
func TestGetRefused(t *testing.T) {
	s, dir := zoo(t)
	before, err := os.ReadFile("go.mod")
	expect.NoError(t, err)
	expect.NoError(t, os.Mkdir("bare", 0o700))
	expect.NoError(t, os.Mkdir("late", 0o700))
	expect.NoError(t, os.WriteFile("late/go.mod", []byte("module example.com/late\n"), 0o600))
	for code, want := range map[string]string{
		"%get ./late example.com/none@v1.2.3": "example.com/none@v1.2.3",
		"%get ./bare":                         "folder ./bare has no go.mod, which names its module",
		"%get -u":                             "unknown option -u",
		"%get .":                              "folder . is that of the notebooks",
	} {
		if o := s.run(code); o.failure == nil || !strings.Contains(o.failure.Value, want) {
			t.Errorf("%s: %v", code, o.failure)
		}
		if after, err := os.ReadFile("go.mod"); err != nil || string(after) != string(before) {
			t.Errorf("%s: go.mod is now %s, %v", code, after, err)
		}
	}
	own := start(t, notebook.Options{Dir: filepath.Join(dir, "zoo")})
	if o := own.run("%get ../food"); o.failure == nil || !strings.HasPrefix(o.failure.Value, "%get: this folder belongs to "+
		"example.com/zoo (./go.mod), which %get does not change") {
		t.Errorf("%%get in a module of the user: %v", o.failure)
	}
	if o := own.ok("import \"example.com/zoo/pure\"\npure.Twice(4)"); o.value != "8" {
		t.Errorf("a package of the user's module: %q", o.value)
	}
}

// TestGetBelow: below a module of the user, a folder without Go files gets a go.mod of its own.
func TestGetBelow(t *testing.T) {
	_, dir := zoo(t)
	books, outer := filepath.Join(dir, "zoo", "books"), filepath.Join(dir, "zoo", "go.mod")
	expect.NoError(t, os.Mkdir(books, 0o700))
	before, err := os.ReadFile(outer)
	expect.NoError(t, err)
	s := start(t, notebook.Options{Dir: books})
	if o := s.ok("%get ./food"); o.out != "example.com/food/v2 in ../../food\n" {
		t.Errorf("%%get: %q", o.out)
	}
	if o := s.ok("import \"example.com/food/v2\"\nfood.Default.Name()"); o.value != "hay" {
		t.Errorf("value %q", o.value)
	}
	if after, err := os.ReadFile(outer); err != nil || string(after) != string(before) {
		t.Errorf("the go.mod above is now %s, %v", after, err)
	}
}

// TestGetInterrupted: an interrupt ends a download.
func TestGetInterrupted(t *testing.T) {
	s, _ := zoo(t)
	ctx, interrupt := context.WithCancel(context.Background())
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	}))
	defer proxy.Close()
	t.Setenv("GOPROXY", proxy.URL)
	o := s.runIn(ctx, "%get example.com/slow@v1.0.0")
	if o.failure == nil || o.failure.Name != "Interrupted" || o.took > 20*time.Second {
		t.Errorf("after %s: %v", o.took, o.failure)
	}
	if text, err := os.ReadFile("go.mod"); err != nil || strings.Contains(string(text), "slow") {
		t.Errorf("go.mod: %s, %v", text, err)
	}
}

// TestImportInterrupted: an interrupt ends all imports of a cell, and completion asks no proxy.
func TestImportInterrupted(t *testing.T) {
	s, _ := zoo(t)
	text, err := os.ReadFile("go.mod")
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile("go.mod", append(text, "\nrequire (\nexample.com/slow v1.0.0\nexample.com/slower v1.0.0\n)\n"...),
		0o600))
	ctx, interrupt := context.WithCancel(context.Background())
	asked := make(chan string, 9)
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		interrupt()
		<-r.Context().Done()
	}))
	defer proxy.Close()
	t.Setenv("GOPROXY", proxy.URL)
	code := "import (\"example.com/slow\"; \"example.com/slower\")\nslow."
	if s.Complete(code, len(code)); len(asked) > 0 {
		t.Errorf("completion asked for %d files", len(asked))
	}
	o := s.runIn(ctx, code+"F()\nslower.F()")
	if o.failure == nil || o.failure.Name != "Interrupted" || o.took > 20*time.Second || len(asked) == 0 {
		t.Errorf("after %s: %v; asked %d times", o.took, o.failure, len(asked))
	}
	for range len(asked) {
		if path := <-asked; !strings.HasPrefix(path, "/example.com/slow/") && !strings.HasPrefix(path, "/example.com/slower/@v/v1.0.0.mod") {
			t.Errorf("asked for %s", path)
		}
	}
}

// TestModuleCache imports a module that this project needs, from the module cache.
func TestModuleCache(t *testing.T) {
	needGo(t)
	t.Setenv("GOPROXY", "off")
	s := start(t, notebook.Options{})
	if o := s.ok("import \"github.com/google/uuid\"\nuuid.NewSHA1(uuid.NameSpaceDNS, []byte(\"ulm\")).String()"); o.value !=
		"e32e9eae-8b62-52a3-bc94-e4b6fc8c0bef" {
		t.Errorf("value %s", o.value)
	}
}
