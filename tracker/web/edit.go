package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

// noteTag is the tag with the note of a run, as in MLflow.
const noteTag = "mlflow.note.content"

// longestForm is the max size of a form, in bytes, and formTime the max time that it may take. The ids of all rows of
// the longest table fit.
const (
	longestForm = 1 << 20
	formTime    = time.Minute
)

// isFree reports whether people may change a tag. Programs rely on the others.
func (s *site) isFree(key string) bool {
	return !strings.HasPrefix(key, "mlflow.") && !tracker.IsManaging(key) && (s.o.Reader == nil || !s.o.Reader.Wrote(key))
}

// readForm reads the form of a request that changes a run, and finds the run.
func (s *site) readForm(w http.ResponseWriter, r *http.Request) (tracker.RunInfo, error) {
	if err := parseForm(w, r); err != nil {
		return tracker.RunInfo{}, err
	}
	return s.store.FindRun(r.Context(), r.PathValue("run"))
}

func parseForm(w http.ResponseWriter, r *http.Request) error {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime)) // tests' recorders have no deadlines
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	if err := r.ParseForm(); err != nil {
		return badRequestError{"the form cannot be read: " + err.Error()}
	}
	return nil
}

// saveNote replaces the note of a run; an empty one deletes it. It refuses to replace a note that was changed since the
// page was loaded.
func (s *site) saveNote(w http.ResponseWriter, r *http.Request) error {
	run, err := s.readForm(w, r)
	if err != nil {
		return err
	}
	now := oneEnd(run.Tags[noteTag])
	if oneEnd(r.PostForm.Get("was")) != now {
		return changedMeanwhile("note")
	}
	switch note := oneEnd(r.PostForm.Get("note")); {
	case note == now:
	case strings.TrimSpace(note) == "":
		err = s.store.DeleteTag(saveContext(r), run.ID, noteTag)
	default:
		err = s.store.Store(saveContext(r), run.ID, tracker.Records{Tags: map[string]string{noteTag: note}})
	}
	return s.redirectSaved(w, r, run, "note", err)
}

// saveContext returns the context of a change. The change is saved even if the user leaves the page.
func saveContext(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }

// oneEnd returns a text with \n as line ends: forms send other line ends than programs write.
func oneEnd(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

func changedMeanwhile(what string) error {
	return conflictError{"the " + what + " has been changed since this page was loaded; go back, copy your text, load " +
		"the page of the run again and edit what is there"}
}

// saveTag sets or deletes a tag of a run.
func (s *site) saveTag(w http.ResponseWriter, r *http.Request) error {
	run, err := s.readForm(w, r)
	if err != nil {
		return err
	}
	key := strings.TrimSpace(r.PostForm.Get("key"))
	if err := s.checkTag(key); err != nil {
		return err
	}
	value, now := oneEnd(r.PostForm.Get("value")), run.Tags[key]
	if r.PostForm.Has("was") && oneEnd(r.PostForm.Get("was")) != oneEnd(now) {
		return changedMeanwhile("tag " + plain(key))
	}
	if r.PostForm.Get("delete") != "" {
		err = s.store.DeleteTag(saveContext(r), run.ID, key)
	} else {
		err = s.store.Store(saveContext(r), run.ID, tracker.Records{Tags: map[string]string{key: value}})
	}
	return s.redirectSaved(w, r, run, "tags", err)
}

// maxTagged is the max number of runs that a form tags.
const maxTagged = 1000

// saveTags sets a tag of all selected runs of the table, or deletes it if the value is empty. If there is an error, it
// changes no run. It redirects to the table.
func (s *site) saveTags(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(w, r); err != nil {
		return err
	}
	key, refs := strings.TrimSpace(r.PostForm.Get("key")), r.PostForm["run"]
	if key == "" && strings.TrimSpace(r.PostForm.Get("to")) != "" { // Enter in the field of the experiment
		r.PostForm.Set("do", "move")
		return s.doManage(w, r)
	}
	back, err := url.ParseQuery(r.PostForm.Get("back"))
	switch {
	case err != nil:
		return badRequestError{"the form names no table to go back to"}
	case key == "" && r.PostForm.Get("value") == "" && len(refs) > 0: // Enter on a selected run: no tag is meant
		http.Redirect(w, r, "/compare?"+url.Values{"run": refs}.Encode(), http.StatusSeeOther)
		return nil
	}
	if err := checkSelected(refs, "tagged"); err != nil {
		return err
	}
	if err := s.checkTag(key); err != nil {
		return err
	}
	runs, err := s.find(r.Context(), refs)
	if err != nil {
		return err
	}
	if err := s.store.TagRuns(saveContext(r), ids(runs), key, r.PostForm.Get("value")); err != nil {
		return err
	}
	http.Redirect(w, r, "/?"+back.Encode(), http.StatusSeeOther)
	return nil
}

// checkSelected returns an error if a form has no runs, or too many.
func checkSelected(refs []string, done string) error {
	switch {
	case len(refs) == 0:
		return badRequestError{"no run is selected; go back, and select runs in the first column of the table"}
	case len(refs) > maxTagged:
		return badRequestError{fmt.Sprintf("%d runs are selected; at most %d are %s at once", len(refs), maxTagged, done)}
	}
	return nil
}

// checkTag returns an error if people may not write a tag.
func (s *site) checkTag(key string) error {
	switch {
	case key == "":
		return badRequestError{"a tag needs a name"}
	case !s.isFree(key):
		return badRequestError{"programs write and read the tag " + key + "; choose another name"}
	}
	return nil
}

// redirectSaved redirects to the part of a run's page that was changed.
func (s *site) redirectSaved(w http.ResponseWriter, r *http.Request, run tracker.RunInfo, part string,
	err error) error {
	if err == nil {
		http.Redirect(w, r, "/runs/"+run.ID+"#"+part, http.StatusSeeOther)
	}
	return err
}
