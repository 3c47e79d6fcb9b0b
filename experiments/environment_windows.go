package experiments

import "golang.org/x/sys/windows"

// cpuSeconds returns the processor time of the program so far, user and system.
func cpuSeconds() float64 {
	var created, ended, system, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &system, &user); err != nil {
		return 0
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return float64(ticks(system)+ticks(user)) / 1e7 // of 100 ns each
}
