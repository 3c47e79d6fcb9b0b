// Mutate changes one line of the sources at a time, in a copy, and runs the tests of that line's package, or of another
// one that the list names: a test that fails has caught the mutation. It lists what caught each one, and ends with 1 if
// any survived.
//
//	mutate [-only REGEX] [-list] [ROOT]
//
// Mutations are in mutation.txt. Tests that compare digests of bits do not count: they notice any change, and do not
// know which value is right. Nothing in the tree is written: go test gets the changed file as an overlay.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
)

//go:embed mutation.txt
var list string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	survived, err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	if survived > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (survived int, err error) {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	only := flags.String("only", "", "only mutations whose place or text `REGEX` matches")
	listed := flags.Bool("list", false, "print the mutations and run nothing")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return 0, fmt.Errorf("-only: %w", err)
	}
	root := "."
	if flags.NArg() > 0 {
		root = flags.Arg(0)
	}
	if root, err = filepath.Abs(root); err != nil {
		return 0, err
	}
	all, err := parse(list)
	if err != nil {
		return 0, err
	}
	ran := 0
	for _, m := range all {
		if !chosen.MatchString(m.String()) {
			continue
		}
		if *listed {
			fmt.Println(m)
			continue
		}
		caught, err := m.test(ctx, root)
		if err != nil {
			return survived, fmt.Errorf("%s: %w", m, err)
		}
		ran++
		if caught == "" {
			survived++
			caught = "SURVIVED"
		}
		fmt.Printf("%s: %s\n", caught, m)
	}
	if !*listed {
		fmt.Printf("%d mutations, %d caught, %d survived\n", ran, ran-survived, survived)
	}
	return survived, nil
}

// digests are the names of the tests that compare digests of bits.
const digests = "NumericsVersion|SameEverywhere"

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// test runs the tests of the mutation's package and returns the name of the first one that failed, "" for none. A test
// that ends the process has caught the mutation, too; one that does not compile has not.
func (m mutation) test(ctx context.Context, root string) (caught string, err error) {
	path := filepath.Join(root, m.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	changed, err := m.apply(string(source))
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	copied, overlay := filepath.Join(dir, filepath.Base(m.file)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: copied}})
	if err != nil {
		return "", err
	}
	err = errors.Join(os.WriteFile(copied, []byte(changed), 0o600), os.WriteFile(overlay, replace, 0o600))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-count=1", "-failfast", "-timeout=10m", "-skip="+digests,
		"-overlay="+overlay, "./"+m.tests)
	cmd.Dir = root
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch found := failed.FindSubmatch(output); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return "", nil
	case !errors.As(err, &exit):
		return "", err
	case found != nil:
		return string(found[1]), nil
	case regexp.MustCompile(`(?m)^(panic|fatal error):`).Match(output):
		return "a panic", nil
	default:
		return "", fmt.Errorf("no test ran:\n%s", output)
	}
}
