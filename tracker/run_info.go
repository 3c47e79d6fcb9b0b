package tracker

import (
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// RunInfo is a run as stored.
type RunInfo struct {
	ID, Name, Experiment, Status string
	User                         string
	Start, End                   time.Time // End is zero while the run is RUNNING
	Params, Tags                 map[string]string
	Metrics                      map[string]float64 // the latest value of each key, results of evaluations too
	Steps                        map[string]int64   // the step of the latest value
	ArtifactURI                  string
	Deleted                      bool
	folder                       string // of this machine with its artifacts; "" where ArtifactURI says it
	inBucket                     bool   // folder is a copy
	SameName                     int    // how many other runs have the name by which FindRun found this one
	Passed                       int    // how many newer runs FindRunWhere passed over to find this one
}

// Filter restricts Runs. The zero Filter is all runs that are not deleted and are not groups.
type Filter struct {
	IDs        []string // nil: any; groups are left out unless they are named here
	Experiment string
	Status     Status
	Name       string
	Params     map[string]string // all of these
	Tags       map[string]string // all of these
	Deleted    bool              // deleted runs instead of the others
	Limit      int               // 0: all
	Groups     bool              // groups too
}

// WantsGroups reports whether groups are not left out.
func (f Filter) WantsGroups() bool { return f.Groups || f.IDs != nil }

// Point is one value of a metric.
type Point struct {
	Step  int64
	Time  time.Time
	Value float64
}

// MetricPoint is one value of one metric of a run.
type MetricPoint struct {
	Key string
	Point
}

// Folder is where this machine has a run's artifacts, "" where ArtifactURI says it.
func (i RunInfo) Folder() string { return i.folder }

// KeepIn says where this machine has the run's artifacts, and whether that is a copy of what a bucket has.
func (i *RunInfo) KeepIn(dir string, copied bool) { i.folder, i.inBucket = dir, copied }

// InBucket reports whether a run's artifacts are in a bucket, so that ArtifactDir is only this machine's copy: files
// that others shall have are published, and what may be missing here is fetched.
func (i RunInfo) InBucket() bool { return i.inBucket }

// Object is an artifact in a bucket. Name is its path in ArtifactDir.
type Object struct {
	Name string
	Size int64
	Sum  string // the storage's ETag
}

// FileURI returns the file:// form of an absolute path, as MLflow writes it.
func FileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// FileFromURI returns the local folder of an artifact URI.
func FileFromURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err == nil && u.Scheme == "" && filepath.IsAbs(uri) {
		return uri, nil
	}
	if strings.HasPrefix(uri, "s3://") {
		return "", Errorf(CodeUnavailable, nil, "artifacts: %s is not below the place of this program's artifacts, which "+
			"SPHERELAB_ARTIFACTS names", Redact(strings.Join(strings.Fields(uri), " ")))
	}
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") || !filepath.IsAbs(u.Path) ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil || strings.HasSuffix(uri, "#") {
		return "", Errorf(CodeUnsupported, err, "the run's artifacts are at %q, which is not a folder of this machine",
			uri)
	}
	return filepath.FromSlash(u.Path), nil
}

// ArtifactDir returns the local folder of a run's artifacts.
func (i RunInfo) ArtifactDir() (string, error) {
	if i.folder != "" {
		return i.folder, nil
	}
	return FileFromURI(i.ArtifactURI)
}
