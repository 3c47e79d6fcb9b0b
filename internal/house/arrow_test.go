package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// listed is what the arrows need of one package of `go list -deps -json`.
type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// arrow says which packages of this module a folder's packages may import directly. A folder is a path inside the
// module; "x/**" means x and all below.
type arrow struct {
	from string
	to   []string
}

// leaves are the small things that any package may import.
var leaves = []string{"internal/atomicfile", "internal/filekind", "internal/hint", "internal/jsonvalue", "internal/quantity", "internal/spelling",
	"internal/visible"}

// arrows: the first entry that matches a package decides. A package without an entry is an error: a new folder gets a
// line here and in ARCHITECTURE.md.
var arrows = []arrow{
	{".", []string{"experiments/app"}},                // main.go is one call
	{"experiments/app", []string{"internal/command"}}, // for programs with models of their own
	{"internal/command", []string{"**"}},              // the commands put everything together
	{"internal/present", []string{"experiments/answer", "experiments/config", "experiments/dataset", "experiments/explore", "experiments",
		"experiments/progress", "experiments/results", "experiments/search", "spherE", "spherE/kg/**", "spherE/eval/**", "spherE/evidence", "spherE/retrieve/**", "tracker", "tracker/web",
		"chart"}}, // words and layout: it opens no tracker and knows no flags
	{"internal/graphtest", []string{"internal/expect"}},
	{"internal/hint/hinttest", []string{"internal/expect"}},
	// Leaves import nothing of ours, and any package may import them.
	{"internal/**", nil},

	{"spherE/internal/**", []string{"spherE/internal/**"}},
	{"spherE/kg/**", []string{"spherE/kg/**", "spherE/internal/**"}},
	{"spherE/eval/**", []string{"spherE", "spherE/kg/**", "spherE/eval/**", "spherE/internal/**"}},
	{"spherE/evidence", []string{"spherE/kg/**"}}, // what finds facts and what shows them share its values
	{"spherE/retrieve/**", []string{"spherE", "spherE/evidence", "spherE/kg/**", "spherE/retrieve/**", "spherE/internal/**"}},
	{"spherE/ask", []string{"spherE", "spherE/kg/**", "spherE/eval", "spherE/retrieve"}},
	{"spherE/multihop", []string{"spherE/kg/**", "spherE/eval", "spherE/retrieve", "spherE/internal/**"}},
	{"spherE/stack/**", []string{"spherE", "spherE/kg/**", "spherE/stack/**", "spherE/internal/**"}},
	{"spherE/scorefile", []string{"spherE", "spherE/kg/**"}},
	{"spherE/rule", []string{"spherE", "spherE/evidence", "spherE/kg/**", "spherE/internal/**"}},
	{"spherE/inductive/**", []string{"spherE", "spherE/evidence", "spherE/kg/**", "spherE/inductive/**", "spherE/internal/**"}},
	{"spherE", []string{"spherE/kg/**", "spherE/internal/**"}},

	{"experiments/lab/session", []string{"experiments/**", "spherE", "spherE/kg/**", "spherE/eval/**", "spherE/evidence",
		"spherE/retrieve/**", "tracker", "tracker/postgres", "chart"}},
	{"experiments/lab/generate", nil},
	{"experiments/lab", []string{"experiments/lab/session", "experiments/config", "tracker", "tracker/open",
		"kernel/display"}}, // what values look like as text
	{"experiments/results/**", []string{"experiments", "experiments/answer", "experiments/search", "experiments/config",
		"experiments/progress", "experiments/dataset", "spherE", "spherE/kg/**",
		"spherE/eval/**", "spherE/multihop", "tracker", "tracker/postgres"}},
	{"experiments/configs", nil},
	{"experiments/config", []string{"experiments/configs", "experiments/dataset", "spherE", "spherE/kg/**",
		"spherE/eval/**"}}, // no tracker, no training
	{"experiments/progress", []string{"spherE", "tracker"}},
	{"experiments/answer", []string{"experiments/config", "experiments/progress", "spherE", "spherE/kg/**",
		"spherE/eval/**", "spherE/evidence", "spherE/retrieve/**", "spherE/ask", "spherE/inductive", "spherE/rule", "spherE/scorefile",
		"spherE/stack", "tracker", "chart"}}, // no training
	{"experiments/explore", []string{"experiments/answer", "experiments/progress", "spherE", "spherE/kg/**",
		"spherE/retrieve/**", "tracker", "chart"}}, // no words in HTML, no training
	{"experiments/runtest", []string{"internal/expect", "experiments/config", "experiments/progress", "tracker"}},
	{"experiments/search", []string{"experiments", "experiments/answer", "experiments/config", "experiments/configs",
		"spherE", "spherE/kg/**", "spherE/rule", "tracker", "tracker/postgres"}},
	{"experiments/worker", []string{"experiments", "experiments/config", "experiments/progress", "experiments/search",
		"spherE/kg/**", "tracker", "tracker/postgres"}}, // the queue is in a database
	{"experiments/**", []string{"experiments/answer", "experiments/config", "experiments/dataset",
		"experiments/progress", "spherE", "spherE/kg/**", "spherE/eval/**", "spherE/inductive", "spherE/rule",
		"spherE/scorefile", "spherE/stack", "tracker"}},

	{"tracker", []string{"tracker/internal/**"}}, // it knows its backends by an interface
	{"tracker/internal/storage", []string{"tracker", "tracker/bucket"}},
	{"tracker/internal/**", nil},
	{"tracker/pgprivate/**", []string{"tracker/internal/**"}},
	{"tracker/postgres", []string{"tracker", "tracker/bucket", "tracker/filter", "tracker/pgprivate", "tracker/internal/**",
		"migrations"}},
	{"tracker/postgres/backup", []string{"tracker", "tracker/postgres", "tracker/internal/**"}},
	{"tracker/mlflow", []string{"tracker", "tracker/bucket", "tracker/rest", "tracker/internal/**"}},
	{"tracker/open", []string{"tracker", "tracker/postgres", "tracker/mlflow"}},
	{"tracker/filter", nil},
	{"tracker/rest", nil},
	{"tracker/bucket", nil},
	{"tracker/server/**", []string{"tracker", "tracker/postgres", "tracker/filter", "tracker/server/**", "chart"}},
	{"tracker/web", []string{"tracker", "tracker/filter", "chart"}},
	{"tracker/trackertest/**", []string{"internal/expect", "tracker/**", "migrations"}},
	{"tracker/backendtest", []string{"internal/expect", "tracker/**"}},
	{"migrations", nil},
	{"docs/growth", []string{"chart"}},
	{"docs/library/**", []string{"**"}}, // as other programs
	{"docs/library", []string{"internal/expect"}},
	{"chart/**", []string{"chart/**"}},

	{"kernel/bindings/**", []string{"**"}},
	{"kernel/prelude/**", []string{"**"}},
	// Below the compiler, each room knows those before it; files inside a room are held by TestFileOrder.
	{"kernel/golang/compile/slot", []string{"kernel/golang/layout", "kernel/golang/run"}},
	{"kernel/golang/compile/fault", []string{"kernel/golang/layout", "kernel/golang/run"}},
	{"kernel/golang/compile/lock", []string{"kernel/golang/compile/slot", "kernel/golang/layout", "kernel/golang/run"}},
	{"kernel/golang/compile/guard", []string{"kernel/golang/compile/slot", "kernel/golang/compile/fault",
		"kernel/golang/layout", "kernel/golang/run"}},
	{"kernel/golang/compile/step", []string{"kernel/golang/compile/slot", "kernel/golang/compile/fault", "kernel/golang/run"}},
	{"kernel/golang/compile/dynamic", []string{"kernel/golang/compile/slot", "kernel/golang/compile/fault", "kernel/golang/compile/guard",
		"kernel/golang/bridge", "kernel/golang/forge", "kernel/golang/layout", "kernel/golang/run"}},
	{"kernel/golang/compile/native", []string{"kernel/golang/compile/slot", "kernel/golang/compile/fault", "kernel/golang/compile/lock",
		"kernel/golang/compile/guard", "kernel/golang/compile/dynamic", "kernel/golang/bridge", "kernel/golang/layout",
		"kernel/golang/run"}},
	{"kernel/golang/compile/snippet", nil},
	{"kernel/program", []string{"kernel/command", "kernel/golang/cell", "kernel/golang/layout"}},
	{"kernel/golang/**", []string{"kernel", "kernel/golang/**", "kernel/display/**", "kernel/command", "kernel/assist"}},
	{"kernel/assist", []string{"kernel", "kernel/command"}},
	{"kernel/command", []string{"kernel", "kernel/display"}},
	{"kernel/wire", nil},
	{"kernel/display", nil},
	{"kernel/kernelspec", nil},
	{"kernel/kernelspec/generate", []string{"kernel/kernelspec"}},
	{"kernel", []string{"kernel/wire", "kernel/display"}},
}

// ban says what a folder's packages may not reach, directly or through others.
type ban struct {
	from   string
	except []string // folders of this module that from would cover
	never  func(path string) bool
	why    string
}

var bans = []ban{
	{
		from:  "spherE/**",
		never: ours("tracker/**", "experiments/**", "kernel/**", "migrations", "chart/**"),
		why:   "the models know nothing of tracking, experiments and notebooks",
	},
	{
		from: "spherE/**",
		never: anyOf("database/sql", "github.com/jmoiron/sqlx", "github.com/lib/pq", "github.com/jackc",
			"github.com/pressly/goose", "github.com/riverqueue"),
		why: "no SQL under spherE",
	},
	{
		from:  "spherE/**",
		never: anyOf("net/http", "net/rpc"),
		why:   "no HTTP under spherE",
	},
	{
		from:  "spherE/**",
		never: func(path string) bool { return strings.Contains(path, "yaml") },
		why:   "no YAML under spherE",
	},
	{
		from:  "tracker/**",
		never: ours("spherE/**", "experiments/**", "kernel/**"),
		why:   "the tracker stores any program's runs",
	},
	{
		from:  "tracker",
		never: ours("tracker/postgres", "tracker/mlflow", "tracker/bucket", "tracker/rest"),
		why:   "the tracker knows its backends by an interface",
	},
	{
		from: "tracker",
		never: anyOf("database/sql", "github.com/jmoiron/sqlx", "github.com/lib/pq", "github.com/pressly/goose", "net/http",
			"github.com/minio"),
		why: "SQL and HTTP are of the backends",
	},
	{
		from:   "kernel/**",
		except: []string{"kernel/bindings/**", "kernel/prelude/**"},
		never:  ours("spherE/**", "experiments/**", "tracker/**", "migrations"),
		why:    "the kernel reaches the rest through its bindings and prelude only",
	},
}

// TestArrows holds the picture in ARCHITECTURE.md. Build tags can hide an import, so all platforms are listed. Imports
// of tests are free, as far as Go allows them.
func TestArrows(t *testing.T) {
	t.Parallel()
	for _, platform := range [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}} {
		t.Run(platform[0]+"-"+platform[1], func(t *testing.T) {
			packages := listPackages(t, platform[0], platform[1])
			for _, fault := range checkArrows(packages) {
				t.Error(fault)
			}
		})
	}
}

// TestArrowsFindFaults shows the checks packages that break each rule, and so finds a rule that can no longer fail.
func TestArrowsFindFaults(t *testing.T) {
	t.Parallel()
	own := func(folder string) string { return module + "/" + folder }
	for _, c := range []struct {
		pack listed
		want string // "" if it is fine
	}{
		{listed{ImportPath: own("spherE/kg"), Imports: []string{own("spherE")}}, "may not import"},
		{listed{ImportPath: own("spherE"), Imports: []string{own("spherE/eval")}}, "may not import"},
		{listed{ImportPath: own("spherE"), Imports: []string{own("spherE/kg")}}, ""},
		{listed{ImportPath: own("spherE/eval"), Deps: []string{own("tracker")}}, "reaches"},
		{listed{ImportPath: own("spherE/kg"), Deps: []string{"net/http"}}, "no HTTP"},
		{listed{ImportPath: own("spherE/kg"), Deps: []string{"github.com/goccy/go-yaml/ast"}}, "no YAML"},
		{listed{ImportPath: own("spherE/retrieve"), Deps: []string{"database/sql/driver"}}, "no SQL"},
		{listed{ImportPath: own("tracker"), Imports: []string{own("chart")}}, "may not import"},
		{listed{ImportPath: own("tracker"), Imports: []string{own("tracker/postgres")}}, "may not import"},
		{listed{ImportPath: own("tracker"), Deps: []string{own("tracker/mlflow")}}, "by an interface"},
		{listed{ImportPath: own("tracker"), Deps: []string{"net/http"}}, "of the backends"},
		{listed{ImportPath: own("tracker/postgres"), Deps: []string{"database/sql"}}, ""},
		{listed{ImportPath: own("tracker/mlflow"), Imports: []string{own("tracker/postgres")}}, "may not import"},
		{listed{ImportPath: own("tracker/server"), Imports: []string{own("chart")}}, ""},
		{listed{ImportPath: own("tracker/pgprivate"), Deps: []string{own("spherE/kg")}}, "reaches"},
		{listed{ImportPath: own("kernel/wire"), Imports: []string{own("kernel")}}, "may not import"},
		{listed{ImportPath: own("kernel"), Deps: []string{own("spherE")}}, "reaches"},
		{listed{ImportPath: own("kernel/prelude"), Imports: []string{own("spherE")}, Deps: []string{own("spherE")}},
			""},
		{listed{ImportPath: own("kernel/golang/compile/dynamic"), Imports: []string{own("kernel/golang/compile/native")}},
			"may not import"},
		{listed{ImportPath: own("kernel/golang/compile/native"), Imports: []string{own("kernel/golang/compile/dynamic")}}, ""},
		{listed{ImportPath: own("kernel/golang/compile"), Imports: []string{own("kernel/golang/compile/native")}}, ""},
		{listed{ImportPath: own("experiments"), Imports: []string{own("kernel")}}, "may not import"},
		{listed{ImportPath: own("experiments"), Imports: []string{own("experiments/results")}}, "may not import"},
		{listed{ImportPath: own("experiments/results"), Imports: []string{own("experiments")}}, ""},
		{listed{ImportPath: own("spherE/kg"), Imports: []string{own("internal/spelling")}}, ""},
		{listed{ImportPath: own("internal/spelling"), Imports: []string{own("spherE/kg")}}, "may not import"},
		{listed{ImportPath: own("tracker"), Imports: []string{own("internal/graphtest")}}, "may not import"},
		{listed{ImportPath: own("helper")}, "no arrow"},
		{listed{ImportPath: module, Imports: []string{own("experiments")}}, "may not import"},
		{listed{ImportPath: module, Imports: []string{own("experiments/app")}}, ""},
		{listed{ImportPath: own("internal/command"), Imports: []string{own("kernel/prelude")}}, ""},
		{listed{ImportPath: own("experiments/lab"), Imports: []string{own("internal/command")}}, "may not import"},
		{listed{ImportPath: own("internal/present"), Imports: []string{own("internal/command")}}, "may not import"},
		{listed{ImportPath: own("internal/present"), Imports: []string{own("tracker/web")}}, ""},
	} {
		faults := checkArrows([]listed{c.pack})
		switch {
		case c.want == "" && len(faults) > 0:
			t.Errorf("%s importing %v %v: %v", c.pack.ImportPath, c.pack.Imports, c.pack.Deps, faults)
		case c.want != "" && !strings.Contains(strings.Join(faults, "\n"), c.want):
			t.Errorf("%s importing %v %v: got %q, want a fault with %q", c.pack.ImportPath, c.pack.Imports, c.pack.Deps,
				faults, c.want)
		}
	}
}

func checkArrows(packages []listed) []string {
	var faults []string
	for _, p := range packages {
		folder, mine := folderOf(p.ImportPath)
		if !mine {
			continue
		}
		faults = append(faults, checkDirect(folder, p.Imports)...)
		for _, b := range bans {
			if !match(b.from, folder) || slices.ContainsFunc(b.except,
				func(e string) bool { return match(e, folder) }) {
				continue
			}
			for _, dep := range p.Deps {
				if b.never(dep) {
					faults = append(faults, fmt.Sprintf("%s reaches %s: %s", folder, dep, b.why))
				}
			}
		}
	}
	return faults
}

func checkDirect(folder string, imports []string) []string {
	at := slices.IndexFunc(arrows, func(a arrow) bool { return match(a.from, folder) })
	if at < 0 {
		return []string{fmt.Sprintf("%s: no arrow for this folder; add it to internal/house/arrow_test.go and ARCHITECTURE.md", folder)}
	}
	var faults []string
	for _, path := range imports {
		to, mine := folderOf(path)
		if mine && !slices.Contains(leaves, to) &&
			!slices.ContainsFunc(arrows[at].to, func(pattern string) bool { return match(pattern, to) }) {
			faults = append(faults, fmt.Sprintf("%s may not import %s; it may import %v", folder, to, arrows[at].to))
		}
	}
	return faults
}

// folderOf returns a package's folder in this module, "." for the root.
func folderOf(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	folder, mine := strings.CutPrefix(path, module+"/")
	return folder, mine
}

func match(pattern, folder string) bool {
	if pattern == "**" {
		return true
	}
	base, all := strings.CutSuffix(pattern, "/**")
	return folder == base || all && strings.HasPrefix(folder, base+"/")
}

func ours(patterns ...string) func(string) bool {
	return func(path string) bool {
		folder, mine := folderOf(path)
		return mine && slices.ContainsFunc(patterns, func(p string) bool { return match(p, folder) })
	}
}

// anyOf matches the given import paths and everything below them.
func anyOf(paths ...string) func(string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
	}
}

// listPackages returns every package of the module and all that they depend on.
func listPackages(t *testing.T, goos, goarch string) []listed {
	t.Helper()
	out := goTool(t, []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}, "list", "-deps",
		"-json=ImportPath,Imports,Deps", "./...")
	var packages []listed
	own := 0
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if _, mine := folderOf(p.ImportPath); mine {
			own++
		}
		packages = append(packages, p)
	}
	if own == 0 {
		t.Fatal("go list found no package of this module")
	}
	return packages
}
