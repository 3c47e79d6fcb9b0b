package command

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	sphere "github.com/spherelab/spherelab/spherE"
)

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version of the program and of its arithmetic", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e := experiments.ReadEnvironment(cmd.Context())
			simd, err := sphere.SIMDPath()
			if err != nil {
				return usageError{err}
			}
			if format == "json" {
				return results.WriteJSON(a.stdout, map[string]any{"version": e.BinaryVersion, "git_head": e.GitHead,
					"numerics_version": sphere.NumericsVersion, "go_version": e.GoVersion, "os": e.OS, "simd": simd})
			}
			_, err = fmt.Fprintf(a.stdout, "%s\nnumerics version %d, SIMD path %s\n%s %s\n", versionLine(e),
				sphere.NumericsVersion, simd, e.GoVersion, e.OS)
			return err
		},
	}
	addFormatFlag(cmd, &format, textAndJSON)
	return cmd
}

// versionLine is what --version prints, and the first line of the command version.
func versionLine(e experiments.Environment) string {
	return fmt.Sprintf("spherelab %s (%s)", e.BinaryVersion, cmp.Or(e.GitHead, "unknown commit"))
}
