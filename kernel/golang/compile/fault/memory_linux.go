package fault

import "golang.org/x/sys/unix"

// machineMemory is how many bytes of memory and swap the machine has; 0 is unknown.
func machineMemory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return (uint64(info.Totalram) + uint64(info.Totalswap)) * uint64(info.Unit)
}
