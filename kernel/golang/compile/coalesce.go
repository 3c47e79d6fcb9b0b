package compile

// coalesce lets phi values share places with what flows into them.
func (b *body) coalesce() {}
