package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spherelab/spherelab/tracker"
)

//go:embed page
var sources embed.FS

// pageNames are the pages; each is a file of the folder page, inside layout.html.
var pageNames = []string{"runs", "run", "compare", "ask", "groups", "params", "experiments", "error"}

// pages are the templates by name.
var pages = func() map[string]*template.Template {
	all := make(map[string]*template.Template, len(pageNames))
	for _, name := range pageNames {
		all[name] = template.Must(template.New("layout.html").Funcs(template.FuncMap{
			"short": tracker.ShortID, "number": number, "plain": plain, "moment": moment,
			"title": title, "next": func(i int) int { return i + 1 }, "side": newSide, "color": colorOf,
			"breakable": breakable, "inside": inside,
			"long":  func(text string) bool { return len(text) > longCell },
			"lines": func(text string) bool { return strings.ContainsAny(text, "\r\n") },
		}).ParseFS(sources, "page/layout.html", "page/part.html", "page/"+name+".html"))
	}
	return all
}()

// longCell is how many bytes a cell may have before a pointer over it shows the whole text: a column may be narrower.
const longCell = 60

// render writes a page as a whole, or an error in its place: no half page.
func (s *site) render(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := pages[name].Execute(&b, struct {
		Options
		Data any
	}{s.o, data}); err != nil {
		http.Error(w, "this page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the reader may have gone
}

// number is a number for people with five digits. One that was rounded keeps all of them: 0.80000 is about 0.8, and in
// a column its point is below those of the others.
func number(x float64) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	text := strconv.FormatFloat(x, 'g', 5, 64)
	if read, err := strconv.ParseFloat(text, 64); err == nil && read == x {
		return text
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.5g", x), ".")
}

// exact is the shortest text that is read back to the same number.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// plain is a text without control characters and signs that turn the direction of writing, which could make a name look
// like another. Tabs and ends of lines stay.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// breakable is a plain key that a narrow column may break after its dots and slashes.
func breakable(key string) template.HTML {
	return template.HTML(keyBreaks.Replace(template.HTMLEscapeString(plain(key)))) // no entity has a dot or a slash
}

var keyBreaks = strings.NewReplacer(".", ".<wbr>", "/", "/<wbr>")

// moment is a time for people, in UTC; "" if it is unknown.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// duration is how long a run took; "" if that is unknown.
func duration(run tracker.RunInfo) string {
	if run.Start.IsZero() || run.End.IsZero() {
		return ""
	}
	d := run.End.Sub(run.Start)
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// placed is a page that is about one experiment, "" for all.
type placed interface{ place() string }

func (p listPage) place() string   { return p.Experiment }
func (p groupPage) place() string  { return p.Experiment }
func (p paramsPage) place() string { return p.Experiment }
func (p runPage) place() string    { return p.RunInfo.Experiment }
func (p askPage) place() string    { return p.Run.Experiment }

// place is the experiment of all runs.
func (p comparePage) place() string {
	for _, run := range p.Runs {
		if run.Experiment != p.Runs[0].Experiment {
			return ""
		}
	}
	if len(p.Runs) == 0 {
		return ""
	}
	return p.Runs[0].Experiment
}

// inside is the query by which the other pages stay in the experiment of a page.
func inside(page any) template.URL {
	if p, ok := page.(placed); ok && p.place() != "" {
		return template.URL("?" + url.Values{"experiment": {p.place()}}.Encode())
	}
	return ""
}
