package worker

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
)

// hierarchy is where Linux keeps the memory limits of one version of cgroups.
type hierarchy struct {
	root, limit, used string
	cache             string // a line of memory.stat: bytes of files within used that are freed when memory is short
}

// hierarchies are those of versions 2 and 1. A container may have both.
var hierarchies = [2]hierarchy{
	{"/sys/fs/cgroup", "memory.max", "memory.current", "\ninactive_file "},
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_inactive_file "},
}

// freeMemory returns how many bytes this process can have: what Linux reports as free, or what is left of the limit of
// its cgroup or of one above, if that is less. It returns 0 if nothing is left. known is false if no file has the
// number.
func freeMemory(read func(string) ([]byte, error)) (free int64, known bool) {
	number := func(file, after string) (n int64, ok bool) {
		text, err := read(file)
		if err != nil {
			return 0, false
		}
		_, rest, found := bytes.Cut(append([]byte("\n"), text...), []byte(after))
		fields := bytes.Fields(rest)
		if !found || len(fields) == 0 {
			return 0, false
		}
		n, err = strconv.ParseInt(string(fields[0]), 10, 64)
		return n, err == nil // a limit can be the word "max"
	}
	free, known = number("/proc/meminfo", "\nMemAvailable:")
	free *= 1024
	own, _ := read("/proc/self/cgroup") // without it there is only the root's limit
	groups := memoryGroups(string(own))
	for version, h := range hierarchies {
		// A container may see its own cgroup as the root, and not the folders of this path.
		for group := groups[version]; ; group = path.Dir(group) {
			folder := path.Join(h.root, group)
			if limit, limited := number(path.Join(folder, h.limit), ""); limited {
				used, _ := number(path.Join(folder, h.used), "") // unknown: as if nothing was used
				cache, _ := number(path.Join(folder, "memory.stat"), h.cache)
				if left := max(0, limit-max(0, used-cache)); !known || left < free {
					free, known = left, true
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return free, known
}

// memoryGroups reads /proc/self/cgroup, whose lines are number:controllers:path, and returns the paths that bound
// memory in versions 2 and 1; / for a version that is not listed.
func memoryGroups(own string) [len(hierarchies)]string {
	groups := [len(hierarchies)]string{"/", "/"}
	for line := range strings.Lines(own) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		group := path.Clean("/" + fields[2]) // a path outside the namespace begins with /..
		switch {
		case fields[0] == "0" && fields[1] == "":
			groups[0] = group
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			groups[1] = group
		}
	}
	return groups
}
