package command

import (
	"fmt"
	"strings"
)

// get makes modules known, or lists those that are.
func (c *Cell) get(modules []string) error {
	lines, err := c.Session.Get(modules)
	if err != nil {
		return fmt.Errorf("%%get: %w", err)
	}
	if len(lines) == 0 {
		lines = []string{"no modules; %get MODULE@VERSION adds one"}
	}
	fmt.Fprintln(c.Stdout, strings.Join(lines, "\n"))
	return nil
}
