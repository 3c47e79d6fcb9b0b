package results

import (
	"fmt"

	sphere "github.com/spherelab/spherelab/spherE"
)

// formula says in sentences how a model of these settings scores a triple as a tail query, in the words of
// docs/python.md. h, r and t are the rows of head, relation and tail, sums are over blocks.
func formula(s sphere.Settings) []string {
	if s.Model == sphere.DistMult || s.Model == sphere.ComplEx || s.Model == sphere.RESCAL {
		text := "score = sum of h · r · t. There is no distance, and a score has no unit."
		switch s.Model {
		case sphere.RESCAL:
			text = "r is a matrix: score = sum over i and j of h_i · r_ij · t_j. There is no distance, and a score has no unit."
		case sphere.ComplEx:
			text = "Blocks are complex numbers: score = real part of the sum of h · r · conjugate(t). There is no distance, and a" +
				" score has no unit."
		}
		lines := []string{text}
		if s.Reciprocal {
			lines = append(lines, "The first half of a relation's last axis is r of tail queries. A head query (?, r, t) has r from the"+
				" second half, and the score of the reversed triple: t in place of h, h in place of t.")
		}
		return lines
	}
	lines := distanceFormula(s)
	if lines == nil {
		return []string{"The model is one that its program registered; the source of that program has its formula."}
	}
	if !s.HasRadii() {
		return append(lines, fmt.Sprintf("score = gamma − distance, with gamma = %v. Gamma has the unit of distances, which is the"+
			" unit of coordinates.", s.Gamma))
	}
	if len(s.Criteria()) > 0 && s.Criteria()[0] == sphere.CriterionBlocks {
		return append(lines, fmt.Sprintf("Each block has a radius rho. score = − sum of max(0, length − rho of the known entity −"+
			" %v · rho of the candidate). Radii and lengths have one unit.", 1-s.Tau))
	}
	rho, c := "|raw|", 1.0
	switch s.Variant {
	case sphere.Released:
		c = 1 - s.Tau
	case sphere.Paper:
		rho, c = "raw, with its sign", 1+s.Beta
	}
	return append(lines, fmt.Sprintf("The radius of an entity is rho = %s. score = gamma − max(0, distance − rho of h − %v · rho of"+
		" t), with gamma = %v. Radii, distances and gamma have one unit.", rho, c, s.Gamma))
}

// distanceFormula says what the distance of a triple is, nil for a model that is not known here.
func distanceFormula(s sphere.Settings) []string {
	const turned = "distance = sum of the Euclidean lengths of q − t."
	norm := turned
	if s.Variant == sphere.Paper {
		norm = "distance = Euclidean length of the whole vector q − t."
	}
	switch s.Model {
	case sphere.TransE:
		return []string{"distance = sum of the absolute values of h + r − t."}
	case sphere.TransEL2:
		return []string{"distance = Euclidean length of h + r − t."}
	case sphere.BoxE:
		return []string{fmt.Sprintf("Compare base of h + bump of t with the box of heads, and base of t + bump of h with the box of"+
			" tails. With u = %v, w = 1 + |raw width| / u and x = |point − center|, a coordinate adds the greater one of x / w and"+
			" x · w − u / 2 · (w − 1) · (w − 1 / w). distance = sum over both boxes.", (s.Gamma+s.Epsilon)/float64(2*s.Dimension))}
	}
	if points := sphere.PointsOf(s.Model); points != "" {
		s.Model = points
	}
	switch s.Model {
	case sphere.RotatE:
		return []string{"Blocks are complex numbers. q = h · exp(i · angle), with the angles of r.", norm}
	case sphere.Rotate3D:
		text := "q is h with each block turned by theta about the axis (cos B1, sin B1 cos B2, sin B1 sin B2), counterclockwise" +
			" seen from the end of the axis."
		if s.Variant == sphere.Released {
			text += " Each turned block is multiplied by |b|; b is not an angle."
		}
		return []string{text, norm}
	case sphere.HousE5D, sphere.HousE10D, sphere.HousE20D:
		lines := []string{"q is h with each block reflected by the vectors v of r, the first one first: x − 2 (v · x) v / (v · v)."}
		if s.Variant == sphere.Released && !s.HasRadii() {
			return append(lines, "distance = sum of the absolute values of q − t; of a head query it is that of h and t reflected"+
				" back.")
		}
		return append(lines, norm)
	}
	return nil
}
