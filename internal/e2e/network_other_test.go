//go:build !linux

package e2e

import (
	"errors"
	"os/exec"
	"testing"
)

// hubAddress and hubNetwork are those of linux.
const hubAddress, hubNetwork = "", ""

// namespace is a network namespace, of which this system has none.
type namespace struct{}

// network is a bridge between namespaces.
type network struct{ hub *namespace }

func newNetwork(*testing.T) (*network, error) { return nil, errors.ErrUnsupported }

func (n *network) host() *namespace { return nil }

func (n *namespace) start(cmd *exec.Cmd) error { return cmd.Start() }

func asAnother(*exec.Cmd, string) error { return nil }
