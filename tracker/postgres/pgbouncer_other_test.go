//go:build !linux

package postgres_test

import "os/exec"

// asAnother does nothing: tests are not run by root here.
func asAnother(*exec.Cmd) {}
