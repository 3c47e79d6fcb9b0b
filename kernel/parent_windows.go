package kernel

import "os"

// exists reports whether a process with this id exists. On Windows finding one opens it.
func exists(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		_ = p.Release()
	}
	return err == nil
}
