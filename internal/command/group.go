package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/spherelab/spherelab/internal/present"
)

// markExclusive marks flags of which at most one may be used, with the reason.
func markExclusive(cmd *cobra.Command, why string, flags ...string) {
	cmd.MarkFlagsMutuallyExclusive(flags...)
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[strings.Join(flags, " ")] = why
}

// exclusive is the annotation under which cobra keeps the groups of a flag.
const exclusive = "cobra_annotation_mutually_exclusive"

// checkGroups refuses missing flags, and flags that exclude each other, in this program's words. cobra's own check
// comes later, and its message talks about groups.
func checkGroups(cmd *cobra.Command) error {
	var fault error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if fault != nil {
			return
		}
		if need := f.Annotations[cobra.BashCompOneRequiredFlag]; len(need) > 0 && need[0] == "true" && !f.Changed {
			name, _ := pflag.UnquoteUsage(f)
			fault = usagef("%s needs --%s %s; see %s", strings.TrimPrefix(cmd.CommandPath(), "spherelab "), f.Name, name,
				help(cmd, present.Program()))
		}
		for _, group := range f.Annotations[exclusive] {
			var given []string
			for name := range strings.FieldsSeq(group) {
				if cmd.Flags().Changed(name) {
					given = append(given, "--"+name)
				}
			}
			if len(given) > 1 && fault == nil {
				text := strings.Join(given, " and ") + " exclude each other"
				if why := cmd.Annotations[group]; why != "" {
					text += ": " + why
				}
				fault = usagef("%s; use one of them", text)
			}
		}
	})
	return fault
}

// requireOther refuses flags that have no effect without one of the others.
func requireOther(cmd *cobra.Command, flag string, others ...string) error {
	if !cmd.Flags().Changed(flag) || slices.ContainsFunc(others, cmd.Flags().Changed) {
		return nil
	}
	return usagef("--%s belongs to --%s", flag, strings.Join(others, " and --"))
}

// flagKinds has what a flag takes, by pflag's name of its type.
var flagKinds = map[string]string{
	"float64": "a number, as 0.8",
	"int":     "a whole number",
}

// plainFlag returns an error with what a flag takes, for a value that was not understood.
func plainFlag(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	name := invalid.GetFlag().Name
	want, known := flagKinds[invalid.GetFlag().Value.Type()]
	if refused, ours := errors.AsType[refusal](err); ours {
		must, plain := errors.AsType[mustBe](refused)
		if !plain {
			return fmt.Errorf("--%s: %w", name, refused.error)
		}
		want, known = string(must), true
	}
	if !known {
		return err
	}
	return fmt.Errorf("--%s must be %s, not %q", name, want, invalid.GetValue())
}
