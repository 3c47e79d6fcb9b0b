package native

import (
	"errors"
	"flag"
	"reflect"
	"unsafe"

	"github.com/spherelab/spherelab/kernel/golang/run"
)

// flagNatives parse the arguments of cells, which are not the kernel's, and end the cell where package flag ends a
// program.
func flagNatives() map[string]function {
	return map[string]function{
		"flag.Parse": func(s *Session, _ unsafe.Pointer, _ []reflect.Value) []reflect.Value {
			args, _ := s.library.Value("os", "Args")
			_ = parseFlags(flag.CommandLine, args.Interface().([]string)[1:])
			return nil
		},
		"(*flag.FlagSet).Parse": func(_ *Session, _ unsafe.Pointer, a []reflect.Value) []reflect.Value {
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
