package worker

import (
	"io/fs"
	"path"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	t.Parallel()
	const (
		info, own      = "/proc/meminfo", "/proc/self/cgroup"
		v2, v1         = "/sys/fs/cgroup/", "/sys/fs/cgroup/memory/"
		limit, used    = "memory.max", "memory.current"
		limit1, used1  = "memory.limit_in_bytes", "memory.usage_in_bytes"
		stat, none     = "memory.stat", "9223372036854771712\n" // none: version 1 without a limit
		job, siblings  = "system.slice/slurmd/job_7/", "8000\n"
		ofJob, ofJobV1 = "0::/system.slice/slurmd/job_7\n", "5:cpuset:/other\n4:cpu,memory:/slurm/job_7\n0::/\n"
	)
	type files map[string]string
	for name, c := range map[string]struct {
		files files
		want  int64
		known bool
	}{
		"nothing is known":       {nil, 0, false},
		"a machine":              {files{info: "MemTotal: 9 kB\nMemAvailable:   3 kB\n"}, 3072, true},
		"no limit":               {files{info: "MemAvailable: 3 kB\n", v2 + limit: "max\n"}, 3072, true},
		"a limit":                {files{info: "MemAvailable: 3 kB\n", v2 + limit: "3000\n", v2 + used: "2000\n"}, 1000, true},
		"a limit above":          {files{info: "MemAvailable: 3 kB\n", v2 + limit: "9000\n", v2 + used: "2000\n"}, 3072, true},
		"a limit, nothing free":  {files{info: "MemAvailable: 3 kB\n", v2 + limit: "1000\n", v2 + used: "2000\n"}, 0, true},
		"a limit, machine wrong": {files{info: "MemAvailable:\n", v2 + limit: "5000\n"}, 5000, true},
		"a page cache": {files{v2 + limit: "3000\n", v2 + used: "2900\n",
			v2 + stat: "file 2500\ninactive_anon 7\nactive_file 500\ninactive_file 2000\n"}, 2100, true},
		"a page cache first": {files{v2 + limit: "3000\n", v2 + used: "2900\n", v2 + stat: "inactive_file 2000\n"}, 2100, true},
		"a cache above what is used": {files{v2 + limit: "3000\n", v2 + used: "1000\n", v2 + stat: "inactive_file 2000\n"},
			3000, true},
		"a page cache of version 1": {files{v1 + limit1: "3000\n", v1 + used1: "2900\n",
			v1 + stat: "inactive_file 1\ntotal_inactive_file 2000\n"}, 2100, true},
		"version 1 without a limit": {files{info: "MemAvailable: 3 kB\n", v1 + limit1: none}, 3072, true},
		"a job": {files{info: "MemAvailable: 3 kB\n", own: ofJob, v2 + job + limit: "2000\n", v2 + job + used: "500\n"},
			1500, true},
		"a job of version 1": {files{info: "MemAvailable: 3 kB\n", own: ofJobV1, v1 + limit1: none,
			v1 + "slurm/job_7/" + limit1: "2000\n", v1 + "slurm/job_7/" + used1: "500\n"}, 1500, true},
		"a job whose parent has less left": {files{own: ofJob, v2 + job + limit: "2000\n", v2 + job + used: "500\n",
			v2 + "system.slice/" + limit: "9000\n", v2 + "system.slice/" + used: siblings}, 1000, true},
		"a job without a limit of its own": {files{own: ofJob, v2 + job + limit: "max\n",
			v2 + "system.slice/slurmd/" + limit: "4000\n"}, 4000, true},
		"a container that sees itself as the root": {files{own: ofJob, v2 + limit: "700\n"}, 700, true},
		"a group outside of the namespace":         {files{own: "0::/../job_8\n", v2 + limit: "700\n"}, 700, true},
		"a job of another name": {files{own: ofJob, v2 + "system.slice/slurmd/job_8/" + limit: "1\n",
			v2 + limit: "700\n"}, 700, true},
		"a name with a colon": {files{own: "0::/a:b\n", v2 + "a:b/" + limit: "700\n"}, 700, true},
	} {
		got, known := freeMemory(func(file string) ([]byte, error) {
			if file != path.Clean(file) {
				t.Errorf("%s: read %q", name, file)
			}
			if text, has := c.files[file]; has {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		})
		if got != c.want || known != c.known {
			t.Errorf("%s: %d bytes, %v, want %d, %v", name, got, known, c.want, c.known)
		}
	}
}
