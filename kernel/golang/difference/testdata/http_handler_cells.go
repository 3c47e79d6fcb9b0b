package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

type API struct {
	hits map[string]int
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.hits[r.URL.Path]++
	switch r.URL.Path {
	case "/echo":
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Len", fmt.Sprint(len(b)))
		fmt.Fprintf(w, "%s:%s:%s", r.Method, r.URL.Query().Get("q"), b)
	case "/err":
		http.Error(w, "bad", http.StatusTeapot)
	default:
		http.NotFound(w, r)
	}
}

func logged(h http.Handler, log *[]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*log = append(*log, r.URL.Path)
		h.ServeHTTP(w, r)
	})
}

func main() {
	api := &API{map[string]int{}}
	var log []string
	h := logged(api, &log)
	for _, p := range []string{"/echo?q=1", "/err", "/none", "/echo"} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest("POST", p, strings.NewReader("body")))
		fmt.Printf("%d %q %q\n", rec.Code, rec.Body.String(), rec.Header().Get("X-Len"))
	}
	fmt.Println(api.hits, log)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /item/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "item ",
			r.PathValue("id"))
	})
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, httptest.NewRequest("GET", "/item/42", nil))
	fmt.Println(rec.Body)
}
