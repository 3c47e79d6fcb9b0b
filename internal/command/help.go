package command

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/internal/present"
)

// wrapHelp wraps help to the width of the terminal. Without a terminal it stays as written, at 120 columns.
func (a *app) wrapHelp(root *cobra.Command) {
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		width, out := a.page().Width, cmd.OutOrStdout()
		if width == 0 {
			write(cmd, args)
			return
		}
		var b strings.Builder
		cmd.SetOut(&b)
		write(cmd, args)
		cmd.SetOut(out)
		_, _ = io.WriteString(out, present.WrapParagraphs(b.String(), width)) // as cobra does
	})
}
