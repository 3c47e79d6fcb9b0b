package web_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// twenty logs runs of which pairs differ in the seed alone.
func twenty(t *testing.T, tr *postgres.Store, most int) (ids []string) {
	t.Helper()
	for i := range most {
		run, err := tr.StartRun(context.Background(), tracker.RunSpec{Name: "a run with a name that is long",
			Params: map[string]string{"seed": strconv.Itoa(i), "rate": fmt.Sprint(1 + i/2), "flat": "1"}})
		expect.NoError(t, err)
		for step := range int64(5) {
			expect.NoError(t, run.LogMetrics(step, map[string]float64{"loss": float64(i) + 1/float64(step+1),
				"huge": math.Copysign(1.7e308, float64(i%2)-.5), "lost": math.NaN()}))
		}
		expect.NoError(t, run.Finish(context.Background(), tracker.Finished))
		ids = append(ids, run.ID())
	}
	return ids
}

// Every combination of what a reader can choose of curves is drawn, with as many runs as a chart has.
func TestFeaturesOfCurvesMultiply(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	h := web.New(tr, web.Options{})
	ids := twenty(t, tr, 20)
	for _, count := range []int{1, 15, 20} {
		for mask := range 16 {
			q := url.Values{"run": ids[:count], "key": {"loss"}}
			for bit, field := range []string{"smooth=0.9", "logx=1", "logy=1", "bands=1"} {
				if name, value, _ := strings.Cut(field, "="); mask>>bit&1 == 1 {
					q.Set(name, value)
				}
			}
			for _, format := range []string{"svg", "png"} {
				if format == "png" && (count < 20 || mask < 15) {
					continue // it is slow, and what has room does not depend on the format
				}
				code, text, _ := get(t, h, "/curve."+format+"?"+q.Encode())
				if code != http.StatusOK {
					t.Errorf("%d runs, %v: %d %s", count, q.Encode()[len(ids[0]):], code, text)
				}
				lines := strings.Count(text, `<g class="series">`)
				if want := count * (1 + mask&1); format == "svg" && mask>>3&1 == 0 && lines != want {
					t.Errorf("%d runs, features %04b: %d lines, want %d", count, mask, lines, want)
				}
			}
		}
	}
}

// What a reader can write into an address is drawn or refused with words: never an error of the server.
func TestNoAddressIsAnErrorOfTheServer(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	var said []string
	h := web.New(tr, web.Options{Say: func(text string) { said = append(said, text) }})
	ids := twenty(t, tr, 50)
	all, some := url.Values{"run": ids}.Encode(), url.Values{"run": ids[:20]}.Encode()
	marks := url.Values{"mark": ids}.Encode()
	wants := map[string]int{
		"/curve.svg?key=huge&" + some:                                                http.StatusBadRequest, // too far apart
		"/curve.svg?key=huge&smooth=0.5&" + some:                                     http.StatusBadRequest,
		"/curve.svg?key=huge&logy=1&" + some:                                         http.StatusOK,
		"/curve.svg?key=lost&smooth=0.5&" + some:                                     http.StatusOK,
		"/curve.svg?key=none&bands=1&smooth=.5&" + some:                              http.StatusOK,
		"/curve.svg?key=loss&" + all:                                                 http.StatusBadRequest,
		"/curve.svg?key=loss&place=9999&run=" + ids[0]:                               http.StatusBadRequest,
		"/parallel.svg?axis=param/rate&axis=metric/loss&" + all:                      http.StatusOK, // all strong
		"/parallel.svg?axis=param/rate&axis=metric/loss&mark=&" + all:                http.StatusOK,
		"/parallel.svg?axis=param/rate&axis=metric/loss&" + all + "&" + marks:        http.StatusOK,
		"/parallel.svg?axis=param/rate&axis=metric/huge&" + some:                     http.StatusBadRequest,
		"/parallel.svg?axis=param/rate&axis=metric/lost":                             http.StatusOK,
		"/parallel.svg?axis=param/none&axis=tag/none":                                http.StatusBadRequest,
		"/parallel.svg?metric=loss&axis=metric/loss&axis=param/rate&experiment=none": http.StatusBadRequest,
		"/scatter.svg?x=param/rate&y=metric/loss&xlog=1&ylog=1&" + all + "&" + marks: http.StatusOK,
		"/scatter.svg?x=param/seed&y=metric/huge&" + all:                             http.StatusBadRequest,
		"/scatter.svg?x=metric/huge&y=metric/huge&ylog=1&" + all:                     http.StatusOK,
		"/scatter.svg?x=seconds&y=metric/loss":                                       http.StatusBadRequest,
		"/scatter.svg?x=&y=metric/":                                                  http.StatusBadRequest,
		"/importance.svg?metric=none":                                                http.StatusOK,
		"/importance.svg?metric=huge":                                                http.StatusOK,
		"/params?metric=" + strings.Repeat("m", 9000):                                http.StatusOK,
		"/params?metric=huge&x=param/seed":                                           http.StatusOK,
		"/?sort=metric/":                                                             http.StatusBadRequest,
		"/?col=" + strings.Repeat("param/x", 2000):                                   http.StatusOK,
		"/?page=1000000&rows=1000000":                                                http.StatusOK,
		"/?fold=1&open=" + strings.Repeat("x", 5000):                                 http.StatusOK,
		"/?q=metrics.loss+%3E+1e999":                                                 http.StatusBadRequest,
		"/groups?sort=nothing&col=metric/":                                           http.StatusBadRequest,
		"/groups?sort=metric/huge&col=metric/huge":                                   http.StatusOK,
		"/compare?smooth=1&" + some:                                                  http.StatusBadRequest,
		"/compare?smooth=0.5&bands=1&logy=1&curve=huge&" + marks + "&" + all:         http.StatusOK,
		"/compare.csv": http.StatusOK,
		"/runs/" + ids[0] + "?from=-9223372036854775808&to=9223372036854775807&curve=": http.StatusOK,
		"/curve.svg?key=loss&from=-9223372036854775808&to=9223372036854775807&" + some: http.StatusOK,
		"/curve.svg?key=loss&from=9223372036854775808&" + some:                         http.StatusBadRequest,
		"/runs/" + ids[0] + "/figure/x.svg":                                            http.StatusNotFound,
	}
	for address, want := range wants {
		code, text, _ := get(t, h, address)
		if code != want {
			t.Errorf("%.120s: %d, want %d\n%.600s", address, code, want, text)
		}
		if alert := `role="alert"`; code >= 400 && !strings.Contains(text, alert) {
			t.Errorf("%.120s: refused without words", address)
		}
		if code >= 400 && strings.Contains(text, "LogY") {
			t.Errorf("%.120s: refused in words of the program's source", address)
		}
	}
	if len(said) > 0 {
		t.Errorf("errors of the server: %q", said)
	}
}
