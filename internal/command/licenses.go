package command

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/license"
)

func (a *app) licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "licenses", Short: "Print the licences of the program and of what is linked into it", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.stdout, license.Notice())
			return err
		},
	}
}
