package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// compose is what docker-compose.yml may use; another key is an error, so a misspelt one is found here.
type compose struct {
	Name     string             `yaml:"name"`
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
}

type service struct {
	Image string `yaml:"image"`
	Build *struct {
		Context    string `yaml:"context"`
		Dockerfile string `yaml:"dockerfile"`
		Target     string `yaml:"target"`
	} `yaml:"build"`
	Command     []string          `yaml:"command"`
	CPUs        string            `yaml:"cpus"`
	Environment map[string]string `yaml:"environment"`
	Volumes     []string          `yaml:"volumes"`
	Ports       []string          `yaml:"ports"`
	DependsOn   map[string]struct {
		Condition string `yaml:"condition"`
	} `yaml:"depends_on"`
	Healthcheck *struct {
		Test        []string `yaml:"test"`
		Interval    string   `yaml:"interval"`
		Timeout     string   `yaml:"timeout"`
		Retries     int      `yaml:"retries"`
		StartPeriod string   `yaml:"start_period"`
	} `yaml:"healthcheck"`
	StopSignal      string `yaml:"stop_signal"`
	StopGracePeriod string `yaml:"stop_grace_period"`
	ShmSize         string `yaml:"shm_size"`
	Restart         string `yaml:"restart"`
	// Services of a profile start only with it.
	Profiles []string `yaml:"profiles"`
}

func TestCompose(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(inRoot("docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseCompose(string(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range checkCompose(c) {
		t.Error(fault)
	}
	for _, name := range []string{"postgres", "spherelab", "tracker", "worker", "jupyter", "mlflow"} {
		if _, ok := c.Services[name]; !ok {
			t.Errorf("service %s is missing", name)
		}
	}
	for _, name := range []string{"spherelab", "tracker", "worker", "jupyter"} {
		if !strings.Contains(c.Services[name].Environment["DATABASE_URL"], "@postgres:5432/") {
			t.Errorf("service %s: DATABASE_URL does not name the service postgres", name)
		}
		if password := c.Services["postgres"].Environment["POSTGRES_PASSWORD"]; password == "" ||
			!strings.Contains(c.Services[name].Environment["DATABASE_URL"], ":"+password+"@") {
			t.Errorf("service %s does not agree with postgres on the password", name)
		}
	}
}

// make env writes a password for each variable that docker-compose.yml requires, and leaves a file that is there alone.
func TestEnvHasThePasswords(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(inRoot("docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), ".env")
	read := func() string {
		t.Helper()
		if out, err := exec.Command("sh", inRoot("_tool/env.sh"), file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text := read()
	names := required.FindAllStringSubmatch(string(source), -1)
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

func TestComposeFindsFaults(t *testing.T) {
	t.Parallel()
	const head = "services:\n  a:\n"
	const healthy = "    healthcheck: {test: [CMD, 'true']}\n"
	for source, want := range map[string]string{
		head + healthy + "    image: postgres:17.6\n":                                               "",
		head + "    image: postgres:17.6\n":                                                         "no health check",
		head + healthy + "    image: postgres:latest\n":                                             "not pinned",
		head + healthy + "    image: postgres\n":                                                    "not pinned",
		head + healthy + "    image: postgres:17.6\n    ports: ['5432:5432']\n":                     "loopback",
		head + healthy + "    image: postgres:17.6\n    ports: ['0.0.0.0:5432:5432']\n":             "loopback",
		head + healthy + "    image: postgres:17.6\n    ports: ['127.0.0.1:${P:-5432}:5432']\n":     "",
		head + healthy + "    image: postgres:17.6\n    volumes: ['gone:/x']\n":                     "volume gone",
		head + healthy + "    build: {context: ., dockerfile: Nowhere}\n":                           "Nowhere",
		head + healthy + "    image: postgres:17.6\n    depends_on: {b: {condition: x}}\n":          "service b",
		head + healthy + "    image: postgres:17.6\n    command: [x]\n    imagee: y\n":              "imagee",
		head + healthy + "    image: postgres:17.6\n    environment: {U: '${NO_DEFAULT}'}\n":        "NO_DEFAULT",
		head + healthy + "    image: postgres:17.6\n    environment: {U: '${P:?say it}'}\n":         "",
		head + healthy + "    image: postgres:17.6\nvolumes:\n  unused:\n":                          "unused",
		head + "    image: postgres:17.6\n    healthcheck: {test: [CMD, 'true'], interval: soon}\n": "soon",
	} {
		c, err := parseCompose(source)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(checkCompose(c), "\n")
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("got %q, want %q, from:\n%s", got, want, source)
		}
	}
}

var interpolation = regexp.MustCompile(`\$\{(\w+)(?::-([^}]*)|:\?([^}]+))?\}`)

// parseCompose puts the defaults in for ${NAME:-default}, and a password for ${NAME:?how to make one}. Any other
// variable would leave `docker compose up` broken for a new user.
func parseCompose(source string) (*compose, error) {
	for _, m := range interpolation.FindAllStringSubmatch(source, -1) {
		if m[2] == "" && m[3] == "" {
			return nil, fmt.Errorf("variable %s has no default", m[1])
		}
	}
	source = required.ReplaceAllString(source, "password-of-$1")
	c := &compose{}
	return c, yaml.UnmarshalWithOptions([]byte(interpolation.ReplaceAllString(source, "$2")), c, yaml.Strict())
}

// required is a variable without which nothing starts.
var required = regexp.MustCompile(`\$\{(\w+):\?[^}]+\}`)

var (
	pinned   = regexp.MustCompile(`^[^:@\s]+:(\d+\.\d+[\w.-]*)(@sha256:[0-9a-f]{64})?$|@sha256:[0-9a-f]{64}$`)
	duration = regexp.MustCompile(`^(\d+(ms|s|m|h))*$`)
)

func checkCompose(c *compose) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }

	if len(c.Services) == 0 {
		fault("no services")
	}
	used := map[string]bool{}
	for name, s := range c.Services {
		switch {
		case s.Build != nil:
			source, err := os.ReadFile(filepath.Join(root, s.Build.Context, s.Build.Dockerfile))
			if err != nil {
				fault("service %s: %v", name, err)
			} else if s.Build.Target != "" && !regexp.MustCompile(`(?mi)^FROM \S+ AS `+regexp.QuoteMeta(s.Build.Target)+
				`$`).Match(source) {
				fault("service %s: %s has no stage %s", name, s.Build.Dockerfile, s.Build.Target)
			}
		case !pinned.MatchString(s.Image):
			fault("service %s: image %q is not pinned to a version or digest", name, s.Image)
		}
		if h := s.Healthcheck; h == nil || len(h.Test) < 2 || h.Test[0] != "CMD" && h.Test[0] != "CMD-SHELL" {
			fault("service %s: no health check", name)
		} else {
			for _, d := range []string{h.Interval, h.Timeout, h.StartPeriod} {
				if !duration.MatchString(d) {
					fault("service %s: health check: %q is not a duration", name, d)
				}
			}
		}
		if !duration.MatchString(s.StopGracePeriod) {
			fault("service %s: stop_grace_period %q is not a duration", name, s.StopGracePeriod)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") || strings.Count(port, ":") != 2 {
				fault("service %s: port %s is not on loopback", name, port)
			}
		}
		for _, volume := range s.Volumes {
			from, to, ok := strings.Cut(volume, ":")
			if !ok || !strings.HasPrefix(to, "/") {
				fault("service %s: volume %q has no absolute target", name, volume)
			}
			if strings.HasPrefix(from, ".") || strings.HasPrefix(from, "/") {
				continue // a folder of the host, made by docker where it is missing
			}
			used[from] = true
			if _, ok := c.Volumes[from]; !ok {
				fault("service %s: volume %s is not declared", name, from)
			}
		}
		for other, d := range s.DependsOn {
			target, ok := c.Services[other]
			switch {
			case !ok:
				fault("service %s: depends on service %s, which does not exist", name, other)
			case d.Condition == "service_healthy" && target.Healthcheck == nil:
				fault("service %s: waits for the health of %s, which has no health check", name, other)
			}
		}
	}
	for name := range c.Volumes {
		if !used[name] {
			fault("volume %s is unused", name)
		}
	}
	return faults
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(inRoot("Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(inRoot("go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	need := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	if need == nil {
		t.Fatal("no go line in go.mod")
	}
	for _, fault := range checkDockerfile(string(source), string(need[1])) {
		t.Error(fault)
	}
}

// The Jupyter that the image has is the one that the tests use.
func TestDockerfileJupyter(t *testing.T) {
	t.Parallel()
	dockerfile, err := os.ReadFile(inRoot("Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	pins, err := os.ReadFile(inRoot("_test_python/requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	pin := regexp.MustCompile(`(?m)^jupyterlab==\S+$`).Find(pins)
	if pin == nil || !strings.Contains(string(dockerfile), "pip install --no-cache-dir "+string(pin)+"\n") {
		t.Errorf("Dockerfile does not install %q, which _test_python/requirements.txt pins", pin)
	}
}

func TestDockerfileFindsFaults(t *testing.T) {
	t.Parallel()
	const build = "FROM golang:1.26.8 AS build\n"
	const good = build + "FROM alpine:3.22.1\nCOPY --from=build /x /x\nUSER me\nHEALTHCHECK CMD [\"x\"]\nENTRYPOINT [\"x\"]\n"
	for source, want := range map[string]string{
		good: "",
		strings.Replace(good, "golang:1.26.8", "golang:1.25.1", 1):         "go.mod needs",
		strings.Replace(good, "alpine:3.22.1", "alpine", 1):                "not pinned",
		strings.Replace(good, "--from=build", "--from=gone", 1):            "gone",
		strings.Replace(good, "USER me", "USER root", 1):                   "root",
		strings.Replace(good, "USER me\n", "", 1):                          "root",
		strings.Replace(good, "HEALTHCHECK CMD [\"x\"]\n", "", 1):          "HEALTHCHECK",
		strings.Replace(good, "[\"x\"]", "[\"x\", \"doctor\"]", 1):         "HEALTHCHECK needs a database",
		good + "CMD [\"doctor\"]\n":                                        "CMD needs a database",
		strings.Replace(good, "USER me", "COPY nowhere.txt /\nUSER me", 1): "nowhere.txt",
		build: "stages",
	} {
		got := strings.Join(checkDockerfile(source, "1.26"), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("got %q, want %q, from:\n%s", got, want, source)
		}
	}
}

func checkDockerfile(source, goVersion string) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }

	ignored := dockerIgnore()
	var stages []string
	user, last := "root", map[string]bool{}
	for _, line := range dockerLines(source) {
		fields := strings.Fields(line)
		instruction := strings.ToUpper(fields[0])
		last[instruction] = true
		switch instruction {
		case "FROM":
			// A stage does not inherit what the one before set.
			user, last = "root", map[string]bool{}
			image := fields[1]
			if !slices.Contains(stages, image) && !pinned.MatchString(image) {
				fault("image %s is not pinned to a version or digest", image)
			}
			if tag, ok := strings.CutPrefix(image, "golang:"); ok && !strings.HasPrefix(tag, goVersion+".") {
				fault("%s builds, go.mod needs Go %s", image, goVersion)
			}
			stage := strconv.Itoa(len(stages))
			if len(fields) == 4 && strings.EqualFold(fields[2], "as") {
				stage = fields[3]
			}
			stages = append(stages, stage)
		case "COPY", "ADD":
			faults = append(faults, checkCopy(fields[1:], stages, ignored)...)
		case "USER":
			user = fields[1]
		case "CMD", "HEALTHCHECK":
			// The image has no database server and may be started without the address of one.
			if strings.Contains(line, "doctor") && !strings.Contains(line, "$DATABASE_URL") {
				fault("%s needs a database: %s", instruction, line)
			}
		}
	}
	if len(stages) < 2 {
		fault("%d stages; the compiler belongs in a stage of its own", len(stages))
	}
	if user == "root" || user == "0" {
		fault("the last stage runs as root")
	}
	for _, need := range []string{"HEALTHCHECK", "ENTRYPOINT"} {
		if !last[need] {
			fault("the last stage has no %s", need)
		}
	}
	return faults
}

// checkCopy looks whether what is copied exists, in an earlier stage's name or among the files that .dockerignore lets
// through.
func checkCopy(args, stages, ignored []string) []string {
	var faults []string
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		if from, ok := strings.CutPrefix(args[0], "--from="); ok {
			if !slices.Contains(stages, from) {
				faults = append(faults, fmt.Sprintf("COPY from stage %s, which is not above", from))
			}
			return faults
		}
		args = args[1:]
	}
	for _, path := range args[:max(0, len(args)-1)] {
		if found, err := filepath.Glob(inRoot(path)); err != nil || len(found) == 0 {
			faults = append(faults, fmt.Sprintf("COPY of %s, which does not exist", path))
		}
		if slices.Contains(ignored, strings.TrimSuffix(path, "/")) {
			faults = append(faults, fmt.Sprintf("COPY of %s, which .dockerignore leaves out", path))
		}
	}
	return faults
}

// dockerLines gives the instructions, continued lines joined, comments left out.
func dockerLines(source string) []string {
	var lines []string
	joined := ""
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if part, more := strings.CutSuffix(line, `\`); more {
			joined += part + " "
			continue
		}
		lines = append(lines, joined+line)
		joined = ""
	}
	return lines
}

func dockerIgnore() []string {
	source, err := os.ReadFile(inRoot(".dockerignore"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(source))
}

// What the build embeds must reach it.
func TestDockerignoreKeepsSources(t *testing.T) {
	t.Parallel()
	ignored := dockerIgnore()
	if len(ignored) == 0 {
		t.Fatal(".dockerignore is missing or empty")
	}
	for _, need := range []string{"go.mod", "go.sum", "*.go", "spherE", "experiments", "tracker", "migrations"} {
		if slices.Contains(ignored, need) {
			t.Errorf(".dockerignore leaves out %s, which the build reads", need)
		}
	}
	// The folder of data sets, as docker-compose.yml names it, may hold gigabytes.
	source, err := os.ReadFile(inRoot("docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	folder := regexp.MustCompile(`\$\{GRAPHS:-\./([^}]+)\}`).FindSubmatch(source)
	if folder == nil {
		t.Fatal("docker-compose.yml names no folder for GRAPHS")
	}
	if !slices.Contains(ignored, string(folder[1])) {
		t.Errorf(".dockerignore lets the folder %s into the image", folder[1])
	}
}
