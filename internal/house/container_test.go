package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestContainers: what Docker starts without a word and we do not want.
func TestContainers(t *testing.T) {
	t.Parallel()
	compose, dockerfile := rootFile(t, "docker-compose.yml"), rootFile(t, "Dockerfile")
	need := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(rootFile(t, "go.mod"))
	if need == nil {
		t.Fatal("no go line in go.mod")
	}
	for _, fault := range containerFaults(compose, dockerfile, need[1]) {
		t.Error(fault)
	}
	if !strings.Contains(compose, "ports:") || !strings.Contains(compose, "DATABASE_URL: ") {
		t.Error("docker-compose.yml has no ports or no DATABASE_URL to check")
	}
	for _, name := range []string{"postgres", "spherelab", "tracker", "worker", "jupyter", "mlflow"} {
		if !strings.Contains(compose, "\n  "+name+":\n") {
			t.Errorf("service %s is missing", name)
		}
	}
}

func TestContainersFindsFaults(t *testing.T) {
	t.Parallel()
	const compose = "    image: postgres:17.6\n      POSTGRES_PASSWORD: ${P:?make it}\n    ports:\n" +
		"      - \"127.0.0.1:${PORT:-5433}:5432\"\n      DATABASE_URL: postgres://a:${P:?make it}@postgres:5432/x\n"
	const dockerfile = "FROM golang:1.26.8 AS build\nFROM alpine:3.22.1\nCOPY --from=build /x /x\nUSER me\n" +
		"HEALTHCHECK CMD [\"x\"]\n"
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"postgres:17.6", "postgres:latest", "not pinned"},
		{"postgres:17.6", "postgres", "not pinned"},
		{"127.0.0.1:", "0.0.0.0:", "loopback"},
		{"127.0.0.1:", "", "loopback"},
		{"${PORT:-5433}", "${PORT}", "PORT has no default"},
		{"a:${P:?make it}@", "a:secret@", "password"},
		{"@postgres:5432/", "@localhost:5432/", "password"},
		{"alpine:3.22.1", "alpine", "not pinned"},
		{"golang:1.26.8", "golang:1.25.1", "go.mod needs"},
		{"USER me", "USER root", "root"},
		{"USER me\n", "", "root"},
		{"HEALTHCHECK", "LABEL", "HEALTHCHECK"},
	} {
		got := strings.Join(containerFaults(strings.Replace(compose, c.old, c.new, 1),
			strings.Replace(dockerfile, c.old, c.new, 1), "1.26"), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q, with %q for %q", got, c.want, c.new, c.old)
		}
	}
}

var (
	image     = regexp.MustCompile(`(?m)^\s+image: (\S+)$|^FROM (\S+)`)
	pinned    = regexp.MustCompile(`^[^:@]+:\d+\.\d+[\w.-]*$`)
	published = regexp.MustCompile(`(?m)^\s+- "?(\S*:\d+)"?$`)
	database  = regexp.MustCompile(`(?m)^\s+(?:DATABASE_URL|MLFLOW_BACKEND_STORE_URI): (.*)$`)
	bare      = regexp.MustCompile(`\$\{(\w+)\}`)
	user      = regexp.MustCompile(`(?m)^USER (\S+)$`)
	// required is a variable without which nothing starts.
	required = regexp.MustCompile(`\$\{(\w+):\?[^}]+\}`)
)

// containerFaults reads lines, not YAML: whether the files can be read at all, Docker says.
func containerFaults(compose, dockerfile, goVersion string) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, m := range image.FindAllStringSubmatch(compose+dockerfile, -1) {
		name := m[1] + m[2]
		if !pinned.MatchString(name) {
			fault("image %s is not pinned to a version", name)
		}
		if tag, ok := strings.CutPrefix(name, "golang:"); ok && !strings.HasPrefix(tag, goVersion+".") {
			fault("%s builds, go.mod needs Go %s", name, goVersion)
		}
	}
	for _, m := range published.FindAllStringSubmatch(compose, -1) {
		if !strings.HasPrefix(m[1], "127.0.0.1:") {
			fault("port %s is not on loopback", m[1])
		}
	}
	for _, m := range bare.FindAllStringSubmatch(compose, -1) {
		fault("variable %s has no default", m[1])
	}
	_, password, _ := strings.Cut(compose, "POSTGRES_PASSWORD: ")
	password, _, _ = strings.Cut(password, "\n")
	for _, m := range database.FindAllStringSubmatch(compose, -1) {
		if !required.MatchString(password) || !strings.Contains(m[1], ":"+password+"@postgres:5432/") {
			fault("%s does not have the password and address of the service postgres", m[1])
		}
	}
	last := dockerfile[max(0, strings.LastIndex(dockerfile, "\nFROM ")):]
	if m := user.FindAllStringSubmatch(last, -1); m == nil || m[len(m)-1][1] == "root" || m[len(m)-1][1] == "0" {
		fault("the last stage runs as root")
	}
	if !strings.Contains(last, "\nHEALTHCHECK ") {
		fault("the last stage has no HEALTHCHECK")
	}
	return faults
}

func rootFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(inRoot(name))
	expect.NoError(t, err)
	return string(text)
}

// make env writes a password for each variable that docker-compose.yml requires, and leaves a file that is there alone.
func TestEnvHasThePasswords(t *testing.T) {
	t.Parallel()
	source := rootFile(t, "docker-compose.yml")
	file := filepath.Join(t.TempDir(), ".env")
	read := func() string {
		t.Helper()
		if out, err := exec.Command("sh", inRoot("_tool/write_password.sh"), file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, err := os.ReadFile(file)
		expect.NoError(t, err)
		return string(text)
	}
	text := read()
	names := required.FindAllStringSubmatch(source, -1)
	if len(names) == 0 {
		t.Error("docker-compose.yml requires no password")
	}
	for _, m := range names {
		if !regexp.MustCompile(`(?m)^` + m[1] + `=[0-9a-f]{32}$`).MatchString(text) {
			t.Errorf("%s is not in\n%s", m[1], text)
		}
	}
	if again := read(); again != text {
		t.Error("a second make env draws other passwords")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// The Jupyter that the image has is the one that the tests use.
func TestDockerfileJupyter(t *testing.T) {
	t.Parallel()
	pin := regexp.MustCompile(`(?m)^jupyterlab==\S+$`).FindString(rootFile(t, "_tool/python/requirements.txt"))
	if pin == "" || !strings.Contains(rootFile(t, "Dockerfile"), "pip install --no-cache-dir "+pin+"\n") {
		t.Errorf("Dockerfile does not install %q, which _tool/python/requirements.txt pins", pin)
	}
}

// The image's program is told its version as the Makefile tells its own.
func TestDockerfileVersion(t *testing.T) {
	t.Parallel()
	_, flags, _ := strings.Cut(rootFile(t, "Makefile"), "\nLDFLAGS = ")
	flags, _, _ = strings.Cut(flags, "\n")
	want := strings.NewReplacer("$(MODULE)", module, "v$(VERSION)", "${VERSION:+v$VERSION}", "$(COMMIT)", "$COMMIT").
		Replace(flags)
	have := strings.Join(strings.Fields(strings.ReplaceAll(rootFile(t, "Dockerfile"), "\\\n", " ")), " ")
	if flags == "" || !strings.Contains(have, `-ldflags "`+want+`" .`) {
		t.Errorf("Dockerfile does not build with %s", want)
	}
	if !strings.Contains(have, `ARG VERSION="" COMMIT=""`) {
		t.Error("Dockerfile has no arguments VERSION and COMMIT")
	}
	compose := rootFile(t, "docker-compose.yml")
	if !strings.Contains(compose, "VERSION: ${VERSION:-}") || !strings.Contains(compose, "COMMIT: ${COMMIT:-}") {
		t.Error("docker-compose.yml does not pass VERSION and COMMIT to the build")
	}
}

// What the build embeds must reach it.
func TestDockerignoreKeepsSources(t *testing.T) {
	t.Parallel()
	ignored := strings.Fields(rootFile(t, ".dockerignore"))
	if len(ignored) == 0 {
		t.Fatal(".dockerignore is empty")
	}
	for _, need := range []string{"go.mod", "go.sum", "*.go", "spherE", "experiments", "tracker", "migrations"} {
		if slices.Contains(ignored, need) {
			t.Errorf(".dockerignore leaves out %s, which the build reads", need)
		}
	}
	// The folder of data sets, as docker-compose.yml names it, may hold gigabytes.
	folder := regexp.MustCompile(`\$\{GRAPHS:-\./([^}]+)\}`).FindStringSubmatch(rootFile(t, "docker-compose.yml"))
	if folder == nil {
		t.Fatal("docker-compose.yml names no folder for GRAPHS")
	}
	if !slices.Contains(ignored, folder[1]) {
		t.Errorf(".dockerignore lets the folder %s into the image", folder[1])
	}
}
