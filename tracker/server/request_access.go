package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// guard says why a request is refused, with status 0 if it is not.
//
// Without a token only programs of this machine reach the server, but a page in a browser of this machine is one: it
// can send requests here, and by a name of its own that means 127.0.0.1 it can even read the answers. So the name that
// the request was sent to, and the page that it came from, must be ours. What is linked may be looked at from anywhere.
// A browser sends a token only to the name that it was given for, so with a token that name may be a proxy's.
func (s *Server) guard(r *http.Request, linked bool) (status int, why string) {
	if s.isLoopback && s.o.Token == "" && !isLocalName(r.Host) {
		return http.StatusForbidden, "the request was sent to another name than localhost, by which this server is known: " +
			"open localhost, or give the server a token"
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" &&
		!(linked && isFollowedLink(r)) {
		return http.StatusForbidden, "the request comes from a page of another site"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return http.StatusForbidden, "the request comes from a page of another origin"
		}
	}
	if s.o.Token != "" && !s.hasToken(r) {
		return http.StatusUnauthorized, "the request lacks the server's token, which is the password of any user"
	}
	return 0, ""
}

// isFollowedLink reports whether a browser follows a link to a page of its own, not one inside of another page.
func isFollowedLink(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isLocalName reports whether a Host header names this machine itself.
func isLocalName(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// hasToken compares in constant time. MLflow's clients send MLFLOW_TRACKING_TOKEN as a bearer token and
// MLFLOW_TRACKING_PASSWORD as the password of any user.
func (s *Server) hasToken(r *http.Request) bool {
	scheme, given, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		_, given, ok = r.BasicAuth()
	}
	have, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.o.Token))
	return subtle.ConstantTimeCompare(have[:], want[:]) == 1 && ok
}

// refuse answers a browser with a line of text, and others in the form of MLflow's errors.
func refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "%s: %s\n", http.StatusText(status), message) // the reader may be gone
		return
	}
	raw, _ := json.Marshal(map[string]string{"error_code": code, "message": message}) // never fails
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the client may be gone
}
