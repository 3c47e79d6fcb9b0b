package backendtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// wholeRun: what is logged is stored, is read back, found, deleted and fetched.
func wholeRun(t *testing.T, s Site) {
	ctx := context.Background()
	tr := open(t, s, t.TempDir())
	run := Logged(t, tr)
	expect.NoError(t, run.Finish(ctx, tracker.Finished))
	CheckLogged(t, s.Stored().Tracker, run.ID(), true)
	CheckLogged(t, tr, run.ID(), true)
	for _, ref := range []string{"last", "far-run", run.ID()[:9]} {
		if info := expect.Must[tracker.RunInfo](t)(tr.FindRun(ctx, ref)); info.ID != run.ID() {
			t.Errorf("%s is %s", ref, info.ID)
		}
	}
	for _, f := range []tracker.Filter{{Params: map[string]string{"model": "sphere-2d"}}, {Status: tracker.Finished},
		{Params: map[string]string{"text": "it's \"quoted\""}}, {Experiment: "far"}, {IDs: []string{run.ID()}}, {}} {
		if list := expect.Must[[]tracker.RunInfo](t)(tr.Runs(ctx, f)); len(list) != 1 {
			t.Errorf("%+v finds %d runs", f, len(list))
		}
	}
	for _, f := range []tracker.Filter{{Params: map[string]string{"model": "rotate"}}, {Deleted: true},
		{Params: map[string]string{"text": "it's"}}, {Experiment: "near"}, {IDs: []string{strings.Repeat("0", 32)}}} {
		if list := expect.Must[[]tracker.RunInfo](t)(tr.Runs(ctx, f)); len(list) != 0 {
			t.Errorf("%+v finds %d runs", f, len(list))
		}
	}

	other := open(t, s, t.TempDir()) // another machine
	info := expect.Must[tracker.RunInfo](t)(other.FindRun(ctx, run.ID()))
	CheckLogged(t, other, run.ID(), true)
	expect.NoError(t, other.Fetch(ctx, info))
	dir := expect.Must[string](t)(info.ArtifactDir())
	if text, err := os.ReadFile(filepath.Join(dir, "some folder", "note 1.txt")); string(text) != "hello" {
		t.Errorf("the fetched artifact is %q, %v", text, err)
	}

	manage(t, tr, other, run.ID())
	expect.NoError(t, other.Delete(ctx, run.ID()))
	_, err := tr.FindRun(ctx, "far-run")
	trackertest.WantCode(t, err, tracker.CodeNotFound, "is deleted")
	expect.NoError(t, other.Restore(ctx, run.ID()))
	expect.Must[tracker.RunInfo](t)(tr.FindRun(ctx, "far-run"))
	_, err = tr.FindRun(ctx, "far-rum")
	trackertest.WantCode(t, err, tracker.CodeNotFound, "nearest: far-run")
}

// manage renames a run back and forth, and sets and deletes a tag twice, as a program that repeats a lost try does.
func manage(t *testing.T, tr, other *tracker.Tracker, id string) {
	t.Helper()
	ctx := context.Background()
	expect.NoError(t, other.Rename(ctx, id, "second name"))
	if run := expect.Must[tracker.RunInfo](t)(tr.FindRun(ctx, "second name")); run.ID != id {
		t.Errorf("the new name finds %s", run.ID)
	}
	expect.NoError(t, other.Rename(ctx, id, "far-run"))
	trackertest.WantCode(t, other.Rename(ctx, id, " "), tracker.CodeInvalid, "needs a name")
	for _, value := range []string{"true", "true", "", ""} {
		expect.NoError(t, other.SetTag(ctx, id, tracker.TagArchived, value))
		run := expect.Must[tracker.RunInfo](t)(tr.FindRun(ctx, id))
		if got, has := run.Tags[tracker.TagArchived]; got != value || has != (value != "") {
			t.Errorf("after %q the tag is %q, %v", value, got, has)
		}
	}
}
