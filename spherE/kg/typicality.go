package kg

// typicalPrior is how many entities outside the side are added to every class, so that a small class says little.
const typicalPrior = 2

// Typicality tells how typical each entity is of a side of a relation, by its classes: its types if entities have any,
// else the sides of relations on which it is in training. The share of a class is
//
//	others of the class on the side / (others of the class + 2)
//
// where others are the entities of the class but this one. mean receives the mean of the shares of an entity's classes,
// most the greatest; both are 0 for an entity without a class, and have a place for every entity. The side itself is
// not a class, so an entity may be typical that training never has there.
//
// With sides as classes this is a form of the relation recommenders of Cornell et al. (2024).
func (g *Graph) Typicality(sd Side, relation int32, mean, most []float32) {
	c := g.allClasses()
	itself := int32(-1)
	if c.typing == nil {
		itself = 2*relation + int32(sd)
	}
	on := c.index.On(sd, relation)
	count := make([]int, len(c.size))
	for _, e := range on {
		for _, class := range c.of[e] {
			count[class]++
		}
	}
	for e, of := range c.of {
		there := 0
		if len(on) > 0 && on[0] == int32(e) {
			there, on = 1, on[1:]
		}
		sum, n, best := 0.0, 0, 0.0
		for _, class := range of {
			if class == itself {
				continue
			}
			share := float64(count[class]-there) / float64(c.size[class]-1+typicalPrior)
			sum, n, best = sum+share, n+1, max(best, share)
		}
		mean[e], most[e] = float32(sum/float64(max(n, 1))), float32(best)
	}
}
