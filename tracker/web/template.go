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

// pageNames are the pages; each is a file of the folder page, inside layout.html. A handler is in the file of its name.
var pageNames = []string{"run_list", "run", "compare", "ask", "ask_graph", "explain", "explore", "group", "param", "experiment", "error"}

// pages has the templates by name.
var pages = func() map[string]*template.Template {
	all := make(map[string]*template.Template, len(pageNames))
	for _, name := range pageNames {
		all[name] = template.Must(template.New("layout.html").Funcs(template.FuncMap{
			"short": tracker.ShortID, "number": number, "plain": plain, "moment": moment,
			"title": title, "next": func(i int) int { return i + 1 }, "side": newSide, "color": colorOf,
			"breakable": breakable, "markdown": renderNote, "inside": inside,
			"long":  func(text string) bool { return len(text) > longCell },
			"lines": func(text string) bool { return strings.ContainsAny(text, "\r\n") },
		}).ParseFS(sources, "page/layout.html", "page/part.html", "page/"+name+".html"))
	}
	return all
}()

// longCell is the length in bytes from which a cell has a tooltip with the whole text, since its column may be
// narrower.
const longCell = 60

// render writes a whole page, or an error in its place, but never half a page.
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

// number returns a number for people with five digits. A rounded one keeps all five: 0.80000 means about 0.8, and
// decimal points in a column are aligned.
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

// exact returns the shortest text that parses to the same number.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// plain returns a text without control characters and characters that change the direction of writing, which could make
// a name look like another. Tabs and line ends stay.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// breakable returns a plain key that a narrow column may break after its dots and slashes.
func breakable(key string) template.HTML {
	return template.HTML(keyBreaks.Replace(template.HTMLEscapeString(plain(key)))) // no entity has a dot or a slash
}

var keyBreaks = strings.NewReplacer(".", ".<wbr>", "/", "/<wbr>")

// moment returns a time for people, in UTC, "" if it is unknown.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// duration returns how long a run took, "" if that is unknown.
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

// placed is embedded in pages that may be about one experiment; "" for all.
type placed interface{ place() string }

func (p listPage) place() string   { return p.Experiment }
func (p groupPage) place() string  { return p.Experiment }
func (p paramsPage) place() string { return p.Experiment }
func (p runPage) place() string    { return p.RunInfo.Experiment }
func (p askPage) place() string    { return p.Run.Experiment }

// place returns the common experiment of all runs.
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

// inside returns the query by which links stay in the experiment of a page.
func inside(page any) template.URL {
	if p, ok := page.(placed); ok && p.place() != "" {
		return template.URL("?" + url.Values{"experiment": {p.place()}}.Encode())
	}
	return ""
}
