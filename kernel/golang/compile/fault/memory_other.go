//go:build !linux

package fault

// machineMemory is how many bytes the machine has; 0 is unknown.
func machineMemory() uint64 { return 0 }
