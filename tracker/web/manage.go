package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// managed is the part of the table of runs that is about archived and deleted runs, and about what was done last.
type managed struct {
	Archived    bool   // they are shown
	HasArchived bool   // there are some
	Deleted     bool   // the table has the deleted runs
	Did         string // what was done last, in words, "" for nothing
	Undo        int64  // the time of a deletion that can be undone, 0 for none
}

// deeds are what a form does with runs, by its field do, and how the page says so.
var deeds = map[string]string{"delete": "deleted", "restore": "restored", "archive": "archived",
	"unarchive": "taken out of the archive", "move": "moved", "stop": "asked to stop"}

// managed returns the part of the table of runs for an address, which says what a form has just done.
func (s *site) managed(r *http.Request, v listView, columns []string) (managed, error) {
	m := managed{Archived: v.archived, HasArchived: v.archived || slices.Contains(columns, "tag/"+tracker.TagArchived),
		Deleted: v.deleted}
	done := deeds[r.URL.Query().Get("did")]
	n, err := strconv.Atoi(r.URL.Query().Get("runs"))
	if done == "" || err != nil || n < 1 || n > maxTagged {
		return m, nil
	}
	if at, err := strconv.ParseInt(r.URL.Query().Get("at"), 10, 64); err == nil {
		runs, err := s.store.Deletion(r.Context(), at)
		if err != nil {
			return m, err
		}
		if len(runs) == 0 {
			return m, nil // undone, or purged
		}
		n, m.Undo = len(runs), at
	}
	m.Did = strconv.Itoa(n) + " runs were " + done
	if n == 1 {
		m.Did = "1 run was " + done
	}
	return m, nil
}

// manage deletes, restores, archives or moves the runs of a form: all of them, or none if there is an error. It
// redirects to the table, or to the page of the run that the form names.
func (s *site) manage(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(w, r); err != nil {
		return err
	}
	return s.doManage(w, r)
}

// doManage is manage for a form that was read.
func (s *site) doManage(w http.ResponseWriter, r *http.Request) error {
	do, refs := r.PostForm.Get("do"), r.PostForm["run"]
	back, err := url.ParseQuery(r.PostForm.Get("back"))
	switch {
	case err != nil:
		return badRequestError{"the form names no table to go back to"}
	case deeds[do] == "":
		return badRequestError{"the form does not say what to do with the runs"}
	}
	ctx := saveContext(r)
	if at := r.PostForm.Get("at"); do == "restore" && at != "" {
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return badRequestError{"the form names no time of a deletion"}
		}
		if refs, err = s.store.Deletion(ctx, n); err != nil {
			return err
		}
		if len(refs) == 0 {
			return notFoundError{"these runs are not deleted any more: they were restored or purged"}
		}
	}
	if err := checkSelected(refs, deeds[do]); err != nil {
		return err
	}
	did := url.Values{"did": {do}}
	if do == "restore" {
		err = s.store.RestoreRuns(ctx, refs)
	} else {
		var runs []tracker.RunInfo
		if runs, err = s.find(r.Context(), refs); err != nil {
			return err
		}
		refs = ids(runs)
		err = s.manageRuns(r, do, runs, did)
	}
	if err != nil {
		return err
	}
	did.Set("runs", strconv.Itoa(len(refs)))
	if page := r.PostForm.Get("page"); page != "" && do != "delete" {
		http.Redirect(w, r, "/runs/"+url.PathEscape(page), http.StatusSeeOther)
		return nil
	}
	for name, values := range did {
		back[name] = values
	}
	http.Redirect(w, r, "/?"+back.Encode(), http.StatusSeeOther)
	return nil
}

// manageRuns changes runs that are not deleted, and adds to did what the table needs to know.
func (s *site) manageRuns(r *http.Request, do string, runs []tracker.RunInfo, did url.Values) error {
	ctx := saveContext(r)
	switch do {
	case "delete":
		if err := s.refuseLive(r, runs); err != nil {
			return err
		}
		at, err := s.store.DeleteRuns(ctx, ids(runs))
		did.Set("at", strconv.FormatInt(at, 10))
		return err
	case "stop":
		for _, run := range runs {
			if !s.canStop(run) {
				return runError{conflictError{"run " + title(run) + " cannot be asked to stop: " + s.whyNotStop(run) +
					"; no run was asked"}, run, ""}
			}
		}
		return s.store.TagRuns(ctx, ids(runs), tracker.TagStop, time.Now().UTC().Format(time.RFC3339))
	case "move":
		to := strings.TrimSpace(r.PostForm.Get("to"))
		if to == "" {
			return badRequestError{"the experiment to move to needs a name"}
		}
		return s.store.MoveRuns(ctx, ids(runs), to)
	case "archive":
		return s.store.TagRuns(ctx, ids(runs), tracker.TagArchived, "true")
	}
	return s.store.TagRuns(ctx, ids(runs), tracker.TagArchived, "")
}

// canStop reports whether a run's program saves its state and ends where somebody asks for that.
func (s *site) canStop(run tracker.RunInfo) bool {
	return run.Status == string(tracker.Running) && s.o.Reader != nil && s.o.Reader.Stops(run)
}

// whyNotStop returns why canStop reports false.
func (s *site) whyNotStop(run tracker.RunInfo) string {
	if run.Status != string(tracker.Running) {
		return "it is " + s.state(run)
	}
	return "another program writes it, which does not look for that"
}

// refuseLive returns an error that names the runs that a program still writes.
func (s *site) refuseLive(r *http.Request, runs []tracker.RunInfo) error {
	var live []tracker.RunInfo
	for _, run := range runs {
		if run.Status != string(tracker.Running) {
			continue
		}
		err := s.store.RefuseLive(r.Context(), run.ID)
		switch {
		case tracker.ErrorCode(err) == tracker.CodeBusy:
			live = append(live, run)
		case err != nil:
			return err
		}
	}
	if len(live) == 0 {
		return nil
	}
	text := "run " + title(live[0]) + " is still running"
	if n := len(live) - 1; n > 0 {
		text = fmt.Sprintf("run %s and %d more are still running", title(live[0]), n)
	}
	return runError{conflictError{text + ": no run was deleted; stop what runs, or wait until it has ended"}, live[0], ""}
}

// saveName renames a run. It refuses to replace a name that was changed since the page was loaded.
func (s *site) saveName(w http.ResponseWriter, r *http.Request) error {
	run, err := s.readForm(w, r)
	if err != nil {
		return err
	}
	if r.PostForm.Get("was") != run.Name {
		return changedMeanwhile("name")
	}
	name := strings.TrimSpace(r.PostForm.Get("name"))
	if name == run.Name {
		return s.redirectSaved(w, r, run, "manage", nil)
	}
	err = s.store.Rename(saveContext(r), run.ID, name)
	return s.redirectSaved(w, r, run, "manage", err)
}
