package eval

import "context"

// measureDistractors measures for every cut of the report which share of the graph's distractors it retrieves: each
// counts as the answer of its head query and of its tail query.
func (e *Evaluator) measureDistractors(ctx context.Context, m Model, plan plan, r *Report) error {
	if len(e.distractors) == 0 {
		return nil
	}
	of := *e
	of.queries, of.probability, of.settings.SkipRanking, of.settings.Progress = e.distractors, nil, true, nil
	p := newPass(&of, m, plan)
	if err := p.run(ctx); err != nil {
		return err
	}
	for i, c := range p.rec.Cuts {
		if c.Tied2 != nil { // a distractor is not an answer, so nothing can be tied with it
			continue
		}
		retrieved, all := int64(0), int64(0)
		for q, own := range c.Own {
			retrieved += int64(own)
			all += int64(p.rec.Triples[q])
		}
		share := float64(retrieved) / float64(all)
		r.Cuts[i].Distractors = &share
	}
	return nil
}
