package session

// TrainUntil trains as Train does, and stops after an epoch as if the cell had been interrupted then: the run is saved,
// and lab.Resume continues it. A validation that is due after that epoch still takes place.
//
//	run := lab.TrainUntil(g, m.Epochs(60), 20)
//	lab.Resume("last")
//
// The epoch must be before the last one.
func (s *Session) TrainUntil(g *Graph, m *Model, epoch int) *Run {
	if m != nil && (epoch < 1 || epoch >= m.config.Train.Epochs) {
		panic(fail(BadModel, "lab.TrainUntil cannot stop after epoch %d of %d: use one from 1 to %d, or lab.Train",
			epoch, m.config.Train.Epochs,
			m.config.Train.Epochs-1))
	}
	return s.train(g, m, epoch, 0)
}
