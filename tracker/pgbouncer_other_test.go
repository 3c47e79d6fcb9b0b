//go:build !linux

package tracker_test

import "os/exec"

// asAnother does nothing: tests are not run by root here.
func asAnother(*exec.Cmd) {}
