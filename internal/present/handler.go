package present

import (
	"net"
	"net/http"
	"os"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// Handler returns the handler of the pages of the runs in a tracker and its store. say receives a line about each
// failure.
func Handler(t *tracker.Tracker, store web.Store, say func(string), o Options) http.Handler {
	reader := NewReader(t, o)
	var graphs web.GraphAnswerer
	if o.AnswerGraph != nil {
		graphs = &graphAnswerer{o: o, asking: map[string]*asking{}}
	}
	return web.New(store, web.Options{First: firstCommand, Reader: reader, Answerer: reader, Graphs: graphs,
		Explorer: reader, Comparer: reader, Cuts: results.RankingCuts(), SweepTag: answer.TagSweep,
		TrialTag: answer.TagTrial, Say: say,
		Words: func(list []hint.Hint) string { return Hints(list, Program()) }})
}

// firstCommand returns the command that makes a first run, in an experiment unless that is "".
func firstCommand(experiment string) string {
	if experiment == "" {
		return Program() + " train"
	}
	return Program() + " train --set tracker.experiment=" + QuoteShell(experiment)
}

// Address returns the URL at which a browser finds a server that listens at an address. For all addresses of a machine
// it has the machine's name.
func Address(listening string) string {
	host, port, err := net.SplitHostPort(listening)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			listening = net.JoinHostPort(name, port)
		}
	}
	return "http://" + listening + "/"
}
