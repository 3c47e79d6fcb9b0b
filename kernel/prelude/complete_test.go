package prelude

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/display"
)

// offers is what a front end shows for code with the cursor at |. Loading a graph may take longer than a front end
// waits, so it asks again until something is offered, as somebody who types does.
func (s *cells) offers(code string) []string {
	s.t.Helper()
	cursor := len([]rune(code[:strings.Index(code, "|")]))
	for range 50 {
		if c := s.engine.Complete(strings.Replace(code, "|", "", 1), cursor); len(c.Matches) > 0 {
			return c.Matches
		}
	}
	return nil
}

// TestLabCompletion: string arguments of package lab are completed by what there is: runs, graphs, configs, keys,
// entities and relations.
func TestLabCompletion(t *testing.T) {
	s := newSession(t)
	s.cell(`g := lab.Graph("bundled")`)
	s.cell(`run := lab.Train(g, lab.Model("sphere-2d").Dim(4).Epochs(2).Name("quick one")); list := lab.Runs()`)
	s.cell(`a := run.Ask("Max Born", "advised", "?")`)
	expect.NoError(t, os.WriteFile("family.csv", []byte("a,likes,b\n"), 0o644))
	for _, c := range [][]string{ // code, words that are offered, - before those that are not
		{`lab.Run("|`, "last", "quick one"},
		{`lab.Run("qui|`, "quick one", "-last"},
		{`lab.Resume("la|`, "last"},
		{`lab.Graph("|`, "bundled", "family.csv"},
		{`lab.Graph("family.csv", "split.l|`, "split.leakless=", "-split.seed="},
		{`lab.Model("sph|`, "sphere-2d", "fb15k-237/sphere-2d", "-rotate"},
		{`lab.Table("bund|`, "bundled"},
		{`lab.Table("bundled", "cl|`, "clean"},
		{`lab.Model("rotate").Set("train.ep|`, "train.epochs", "-seed"},
		{`lab.Model("rotate").Set("variant", "|`, "clean", "paper"},
		{`run.Cut("fitted-n|`, "fitted-novel", "-margin"},
		{`run.Metric("test/head_f|`, "test/head_f1"},
		{`run.Param("|`, "train.epochs"},
		{`run.Ask("Max B|`, "Max Born", "-Niels Bohr"},
		{`run.Ask("born|`, "Max Born"},
		{`run.Ask("Max Born", "adv|`, "advised", "-Max Born"},
		{`run.Ask("Max Born", "advised", "|`, "?"},
		{`run.Ask("?", "advised", "Pascual J|`, "Pascual Jordan"},
		{`run.Cut("margin").Ask("Max B|`, "Max Born"},
		{`a.Then("adv|`, "advised"},
		{`a.Has("Max B|`, "Max Born"},
		{`a.Then("advised").Before("adv|`, "advised"},
		{`g.Facts("adv|`, "advised"},
		{`lab.Run("quick one").Explain("Max B|`, "Max Born"},
		{"other := lab.Run(\"last\")\nother.Between(\"Max B|", "Max Born"},
		{"h := lab.Graph(\"family.csv\")\nh.Facts(\"l|", "likes", "-advised"},
		{`run.Predict("adv|`, "advised"},
		{`run.Predict("advised", 5, "|`, "all", "seen"},
		{`run.Expression("Max Born > adv|`, "advised", "-Max Born"},
		{`run.Expression("Max Born > advised minus Max B|`, "Max Born", "-advised"},
		{`run.AskAll([][]string{{"Max Born", "adv|`, "advised"},
		{`run.AskAll([][]string{{"Max B|`, "Max Born"},
		{`run.AskFile("fam|`, "family.csv"},
		{`list.Named("qui|`, "quick one"},
	} {
		got := s.offers(c[0])
		for _, word := range c[1:] {
			word, refused := strings.CutPrefix(word, "-")
			if slices.Contains(got, word) == refused {
				t.Errorf("%s offers %.10q; %q: %v", c[0], got, word, !refused)
			}
		}
	}
	for _, code := range []string{`nothing.Ask("|`, `fmt.Println("Max B|`, `chart.Line("|`, `lab.SQL("sel|`,
		`run.Ask("nobody has this name|`} {
		cursor := strings.Index(code, "|")
		if c := s.engine.Complete(code[:cursor], cursor); len(c.Matches) != 0 {
			t.Errorf("%s offers %q", code, c.Matches)
		}
	}
	code := `run.Expression("Max Born > adv`
	if c := s.engine.Complete(code, len(code)); c.Start != len(`run.Expression("Max Born > `) {
		t.Errorf("the relation of an expression begins at %d", c.Start)
	}
}

// TestLabCompletionWhileTraining: names are offered while a cell trains. The training ends by an interrupt that comes
// after they were, so it was under way.
func TestLabCompletionWhileTraining(t *testing.T) {
	s := newSession(t)
	s.cell(`g := lab.Graph("bundled"); m := lab.Model("sphere-2d").Dim(4).Epochs(2)
run := lab.Train(g, m.Name("quick one")); run.Ask("Max Born", "advised", "?")`)
	began := make(chan struct{})
	s.io.mu.Lock()
	s.io.displays = nil
	s.io.each = func(display.Data) {
		select {
		case <-began:
		default:
			close(began)
		}
	}
	s.io.mu.Unlock()
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := s.run(ctx, `lab.Train(g, m.Epochs(1000000).Name("long one"))`)
		ended <- err
	}()
	<-began
	for code, want := range map[string]string{`run.Ask("Max B|`: "Max Born", `run.Ask("Max Born", "adv|`: "advised",
		`lab.Run("lo|`: "long one", `lab.Model("rot|`: "rotate", `lab.Graph("bu|`: "bundled"} {
		if got := s.offers(code); !slices.Contains(got, want) {
			t.Errorf("%s offers %.10q while a cell trains", code, got)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("the training has ended: %v", err)
	default:
	}
	interrupt()
	s.engine.Interrupt()
	if err := <-ended; err == nil {
		t.Error("the interrupted training has no error")
	}
}
