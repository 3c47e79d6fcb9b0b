package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// post sends a form and returns the status and where the answer leads.
func post(t *testing.T, h http.Handler, address string, form url.Values) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if strings.Contains(w.Body.String(), "<script>alert") {
		t.Errorf("%s shows markup that was sent:\n%s", address, w.Body)
	}
	return w.Code, w.Header().Get("Location")
}

func TestNotesAndTagsAreEdited(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Reader: meaning{}})
	id := logRun(t, tr, tracker.RunSpec{Name: "one", Tags: map[string]string{"criterion": "margin", "by": "Ada"}})
	page := "/runs/" + id
	tags := func() map[string]string {
		t.Helper()
		run, err := tr.FindRun(context.Background(), id)
		expect.NoError(t, err)
		return run.Tags
	}
	note := func(was, now string) url.Values { return url.Values{"was": {was}, "note": {now}} }
	tag := func(pairs ...string) url.Values {
		form := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		return form
	}
	for _, c := range []struct {
		path string
		form url.Values
		code int
		key  string // a tag, and its value afterwards, "" for none
		want string
	}{
		{"/note", note("", attack+"\r\nsecond"), 303, "mlflow.note.content", attack + "\nsecond"},
		{"/note", note("", "theirs"), 409, "mlflow.note.content", attack + "\nsecond"}, // edited from an older page
		{"/note", note(attack+"\r\nsecond", strings.Repeat("x", 8001)), 400, "mlflow.note.content", attack + "\nsecond"},
		{"/note", note(attack+"\r\nsecond", strings.Repeat("x", 300<<10)), 400, "mlflow.note.content", attack + "\nsecond"},
		{"/note", note(attack+"\nsecond", " \r\n"), 303, "mlflow.note.content", ""},
		{"/note", note("", ""), 303, "mlflow.note.content", ""},
		{"/tags", tag("key", attack, "value", "x"), 400, attack, ""},
		{"/tags", tag("key", "my remark", "value", attack), 303, "my remark", attack},
		{"/tags", tag("key", "my remark", "value", "second"), 303, "my remark", "second"},
		{"/tags", tag("key", "my remark", "delete", "1"), 303, "my remark", ""},
		{"/tags", tag("key", "my remark", "delete", "1"), 404, "my remark", ""},
		{"/tags", tag("key", "by", "was", "Bob", "value", "me"), 409, "by", "Ada"}, // edited from an older page
		{"/tags", tag("key", "by", "was", "Ada", "value", "one\r\ntwo\tthree"), 303, "by", "one\ntwo\tthree"},
		{"/tags", tag("key", "by", "was", "one\r\ntwo\tthree", "value", "me"), 303, "by", "me"},
		{"/tags", tag("key", "by", "value", ""), 303, "by", ""},
		{"/tags", tag("key", "  ", "value", "x"), 400, "", ""},
		{"/tags", tag("key", "criterion", "value", "x"), 400, "criterion", "margin"}, // tables rely on it
		{"/tags", tag("key", "criterion", "delete", "1"), 400, "criterion", "margin"},
		{"/tags", tag("key", "mlflow.runName", "value", "x"), 400, "mlflow.runName", "one"},
		{"/tags", tag("key", strings.Repeat("k", 251), "value", "x"), 400, "", ""},
		{"/tags", tag("key", "a\x00", "value", "x"), 400, "", ""},
		{"/tags", tag("key", "a", "value", "\xff"), 400, "a", ""},
	} {
		code, to := post(t, h, page+c.path, c.form)
		if code != c.code || (code == http.StatusSeeOther) != strings.HasPrefix(to, page+"#") {
			t.Errorf("%s %.80v: %d, leads to %q", c.path, c.form, code, to)
		}
		if got := tags()[c.key]; got != c.want {
			t.Errorf("%s %.80v: tag %s is %.80q, want %q", c.path, c.form, c.key, got, c.want)
		}
	}
	if code, _ := post(t, h, "/runs/none/note", note("", "x")); code != http.StatusNotFound {
		t.Errorf("the note of no run: %d", code)
	}
	expect.NoError(t, tr.Delete(context.Background(), id))
	if code, _ := post(t, h, page+"/note", note("", "x")); code == http.StatusSeeOther {
		t.Error("the note of a deleted run was changed")
	}
}

// What was typed comes back as text, in the page and in its fields, and forms are of this server.
func TestEditedTextIsText(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Reader: meaning{}})
	text := "</textarea>" + attack
	id := logRun(t, tr, tracker.RunSpec{Name: "one", Tags: map[string]string{"remark": text, "criterion": "margin"}})
	if code, _ := post(t, h, "/runs/"+id+"/note", url.Values{"was": {""}, "note": {text}}); code != http.StatusSeeOther {
		t.Fatal(code)
	}
	tree := document(t, h, "/runs/"+id)
	if got := texts(tree, "textarea"); len(got) != 1 || got[0] != text {
		t.Errorf("the note's field has %q", got)
	}
	values := sources(tree, "input", "value")
	if !slices.Contains(values, text) {
		t.Errorf("no field has %q: %q", text, values)
	}
	if keys := strings.Join(values, "\n"); strings.Contains(keys, "criterion") {
		t.Error("a tag that programs rely on can be edited")
	}
	for _, action := range sources(tree, "form", "action") {
		if action != "/manage" && !strings.HasPrefix(action, "/runs/"+id) {
			t.Errorf("a form leads to %s", action)
		}
	}
}

// The form below the table tags several runs, and leads back to the same view.
func TestSelectedRunsAreTagged(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{Reader: meaning{}})
	var ids []string
	for range 3 {
		ids = append(ids, logRun(t, tr, tracker.RunSpec{Name: "one", Tags: map[string]string{"old": "x\ny"}}))
	}
	tagged := func(key string) (list []string) {
		runs, err := tr.Runs(context.Background(), tracker.Filter{IDs: ids})
		expect.NoError(t, err)
		for _, run := range runs {
			if value, ok := run.Tags[key]; ok {
				list = append(list, value)
			}
		}
		return list
	}
	form := func(key, value string, runs ...string) url.Values {
		return url.Values{"key": {key}, "value": {value}, "run": runs, "back": {"q=one&sort=name"}}
	}
	if code, to := post(t, h, "/tags", form("mine", attack, ids[:2]...)); code != http.StatusSeeOther || to != "/?q=one&sort=name" {
		t.Errorf("%d, leads to %q", code, to)
	}
	if got := tagged("mine"); !slices.Equal(got, []string{attack, attack}) {
		t.Errorf("two of three runs have the tags %q", got)
	}
	tree := document(t, h, "/?col=tag/mine&col=tag/old&col=tag/mlflow.note.content&col=tag/criterion")
	if places := sources(tree, "td", "data-tag"); len(places) != 6 || places[0] != "/runs/"+ids[2]+"/tags" {
		t.Errorf("tags and notes are edited at %q", places) // not texts of several lines, nor what programs wrote
	}
	if code, _ := post(t, h, "/tags", form("mine", "", ids...)); code != http.StatusSeeOther || len(tagged("mine")) != 0 {
		t.Errorf("%d, tags %q after they were deleted", code, tagged("mine"))
	}
	if code, _ := post(t, h, "/tags", form("mine", "x", ids[0], "none", ids[1])); code != http.StatusNotFound || len(tagged("mine")) != 0 {
		t.Errorf("with a run that is not there: %d, tags %q", code, tagged("mine"))
	}
	for name, bad := range map[string]url.Values{"no run": form("mine", "x"), "no name": form(" ", "x", ids[0]),
		"a program's": form("criterion", "x", ids[0]), "too many": form("mine", "x", make([]string, 1001)...)} {
		if code, _ := post(t, h, "/tags", bad); code != http.StatusBadRequest {
			t.Errorf("%s: %d", name, code)
		}
	}
	if code, _ := post(t, h, "/tags", form("mine", "x", ids[0], "none")); code != http.StatusNotFound || len(tagged("mine")) != 0 {
		t.Errorf("a missing run: %d, tags %q", code, tagged("mine"))
	}
}
