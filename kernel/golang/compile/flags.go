package compile

import (
	"errors"
	"flag"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// flagNatives parse the arguments of cells, which are not the kernel's, and end the cell where flags end a program.
func flagNatives() map[string]Native {
	return map[string]Native{
		"flag.Parse": func(c *Compiler, _ unsafe.Pointer, _ []reflect.Value) []reflect.Value {
			args, _ := c.library.Value("os", "Args")
			_ = parseFlags(flag.CommandLine, args.Interface().([]string)[1:])
			return nil
		},
		"(*flag.FlagSet).Parse": func(_ *Compiler, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
			err := parseFlags(a[0].Interface().(*flag.FlagSet), a[1].Interface().([]string))
			return []reflect.Value{reflect.ValueOf(&err).Elem()}
		},
	}
}

func parseFlags(set *flag.FlagSet, args []string) error {
	if set.ErrorHandling() != flag.ExitOnError {
		return set.Parse(args)
	}
	set.Init(set.Name(), flag.ContinueOnError)
	defer set.Init(set.Name(), flag.ExitOnError)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		panic(run.Exited{})
	case err != nil:
		const usage = 2
		panic(run.Exited{Code: usage})
	}
	return nil
}
