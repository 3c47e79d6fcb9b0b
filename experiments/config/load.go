package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/configs"
	"github.com/spherelab/spherelab/internal/hint"
)

// Layers are the sources of a config, weakest first. Each may be empty.
type Layers struct {
	Config string      // a file on disk, or the name of an embedded config such as "fb15k-237/sphere-2d"
	Env    []string    // "NAME=value" as from os.Environ; only SPHERELAB_* and DATABASE_URL are read
	Set    []string    // "key=value" items of --set
	Flags  []FlagValue // values of command line flags
}

// FlagValue is a command line flag that sets a config key, for example --threads.
type FlagValue struct{ Flag, Key, Value string }

// Default is what configs/default.yaml says.
func Default() *Config {
	c := &Config{origin: map[string]Origin{}}
	raw, err := configs.Files.ReadFile(defaultFile)
	if err == nil {
		err = c.applyYAML(defaultFile, raw)
	}
	if err != nil {
		panic(err) // the file is embedded and held by a test
	}
	clear(c.origin)
	return c
}

// defaultFile is the commented page of all keys.
const defaultFile = "default.yaml"

// Load reads the layers and checks the result. The first mistake is returned as a *Error.
func Load(l Layers) (Checked, error) {
	c, err := read(l)
	if err != nil {
		return Checked{}, err
	}
	return c.Check()
}

// read is Load without the check.
func read(l Layers) (*Config, error) {
	c := Default()
	if l.Config != "" {
		name, raw, err := readConfig(l.Config)
		if err != nil {
			return nil, err
		}
		if err := c.applyYAML(name, raw); err != nil {
			return nil, err
		}
	}
	if err := c.Apply(l); err != nil {
		return nil, err
	}
	return c, nil
}

// Apply sets what the environment, --set and flags say.
func (c *Config) Apply(l Layers) error {
	if err := c.applyEnv(l.Env); err != nil {
		return err
	}
	for _, item := range l.Set {
		origin := setOrigin(item)
		key, value, ok := strings.Cut(item, "=")
		if !ok || strings.TrimSpace(key) == "" {
			return &Error{Origin: origin, Message: "is not of the form key=value"}
		}
		if err := c.assignText(strings.TrimSpace(key), value, origin); err != nil {
			return err
		}
	}
	for _, f := range l.Flags {
		if err := c.assignText(f.Key, f.Value, Origin{Text: "flag --" + f.Flag}); err != nil {
			return err
		}
	}
	return nil
}

// readConfig finds a config: a file on disk first, then the name of an embedded config, with or without its ending and
// with or without the folder experiments/configs in front.
func readConfig(arg string) (name string, raw []byte, err error) {
	raw, err = os.ReadFile(arg)
	if err == nil {
		return arg, raw, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", nil, &Error{Message: fmt.Sprintf("cannot read config %s: %v", arg, errors.Unwrap(err))}
	}
	file := embeddedFile(arg)
	name = strings.TrimSuffix(file, ".yaml")
	if raw, err := configs.Files.ReadFile(file); err == nil {
		return embeddedPrefix + name, raw, nil
	}
	if secret(arg) {
		return "", nil, hint.With(&Error{Message: "an address is not a config"},
			hint.Hint{Action: hint.NameTracker})
	}
	return "", nil, &Error{
		Message: fmt.Sprintf("no config %s: neither a file nor one of the embedded configs (%s)", arg,
			strings.Join(EmbeddedNames(), ", ")),
		Nearest: nearest(name, EmbeddedNames()),
	}
}

// embeddedFile is where an embedded config of that name is, if there is one.
func embeddedFile(name string) string {
	name = strings.TrimPrefix(path.Clean(filepath.ToSlash(name)), "experiments/configs/")
	return strings.TrimSuffix(name, ".yaml") + ".yaml"
}

// Embedded is the embedded config of that name, one of EmbeddedNames, whatever files there are on the disk.
func Embedded(name string) (*Config, error) {
	raw, err := configs.Files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, err
	}
	c := Default()
	return c, c.applyYAML(embeddedPrefix+name, raw)
}

// EmbeddedNames names the embedded configs, for example "wn18rr/rotate".
func EmbeddedNames() []string {
	var names []string
	err := fs.WalkDir(configs.Files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Dir(file) != "." {
			names = append(names, strings.TrimSuffix(file, ".yaml"))
		}
		return err
	})
	if err != nil {
		panic(err) // an embedded file system cannot fail to be listed
	}
	slices.Sort(names)
	return names
}

// reservedEnv are SPHERELAB_ variables that are not config keys: they choose folders and code paths, or are for tests.
var reservedEnv = []string{"SPHERELAB_HOME", "SPHERELAB_SIMD", "SPHERELAB_ROOTS", "SPHERELAB_CACHE", "SPHERELAB_PYTHON",
	"SPHERELAB_ARTIFACTS", "SPHERELAB_SOAK", "SPHERELAB_READER_URL", "SPHERELAB_TOKEN", "SPHERELAB_TOKEN_FILE", "SPHERELAB_PRELUDE"}

// reservedEnvPrefixes begin the names of variables that other parts of the program read.
var reservedEnvPrefixes = []string{"SPHERELAB_TEST_", "SPHERELAB_PG"}

// envName is the environment variable of a config key: train.learning_rate is SPHERELAB_TRAIN_LEARNING_RATE.
func envName(key string) string {
	return "SPHERELAB_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func (c *Config) applyEnv(env []string) error {
	keyOf := map[string]string{}
	names := slices.Clone(reservedEnv)
	for _, key := range Keys() {
		keyOf[envName(key)] = key
		names = append(names, envName(key))
	}
	env = slices.Clone(env)
	slices.Sort(env)
	for _, item := range env {
		name, value, _ := strings.Cut(item, "=")
		origin := Origin{Text: "environment variable " + name}
		key, ok := keyOf[name]
		switch {
		case ok:
		case name == "DATABASE_URL":
			if value == "" {
				continue
			}
			key = "tracker.uri" // sorts before SPHERELAB_TRACKER_URI, which overwrites it
		case !strings.HasPrefix(name, "SPHERELAB_"), slices.Contains(reservedEnv, name):
			continue
		case slices.ContainsFunc(reservedEnvPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }):
			continue
		default:
			return &Error{Origin: origin, Key: name, Message: "unknown option", Nearest: nearest(name, names)}
		}
		if err := c.assignText(key, value, origin); err != nil {
			return err
		}
	}
	return nil
}

// Set sets one key from text, as --set does. origin is where, for error messages. An unknown key or a value of the
// wrong type is a *Error and leaves c as it was.
func (c *Config) Set(key, value, origin string) error {
	return c.assignText(key, value, Origin{Text: origin})
}

// Clone is a copy that shares nothing with c.
func (c *Config) Clone() *Config {
	d := *c
	d.Eval.TopL = slices.Clone(c.Eval.TopL)
	d.Tags, d.origin, d.auto = maps.Clone(c.Tags), maps.Clone(c.origin), maps.Clone(c.auto)
	if d.origin == nil {
		d.origin = map[string]Origin{}
	}
	return &d
}

// SetItems sets key=value items.
func (c *Config) SetItems(items []string, origin string) error {
	for _, item := range items {
		key, value, _ := strings.Cut(item, "=")
		if err := c.Set(key, value, origin); err != nil {
			return err
		}
	}
	return nil
}
