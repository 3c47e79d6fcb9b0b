//go:build unix

package pgprivate

import "path/filepath"

// Status is the state of a cluster's processes.
type Status struct {
	PID        int  // of the server, 0 if none runs
	Supervised bool // a supervisor watches the server
}

// Inspect returns the status of the cluster of folder dir. It starts and changes nothing.
func Inspect(dir string) (Status, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	_, data, err := chooseAccount(dir)
	if err != nil {
		return Status{}, err
	}
	var s Status
	if p, ok := findRunning(data); ok {
		s.PID = p.PID
	}
	s.Supervised = exists(filepath.Join(dir, "supervisor.lock")) && isSupervised(dir)
	return s, nil
}
