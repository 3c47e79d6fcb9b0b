package explore

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Principal are the two directions in which points vary most.
type Principal struct {
	Mean  []float64    // of the points
	Axes  [2][]float64 // of length 1, orthogonal; the largest coordinate of each is positive
	Share float64      // of the variance that lies in the two directions, between 0 and 1
}

// block is how many directions grow at once, so that it distinguishes as many equal variances. maxBasis bounds the
// directions that are kept, and tolerance is the error of an axis, relative to the largest variance.
const (
	block     = 3
	maxBasis  = 120
	maxRounds = 40
	tolerance = 1e-9
)

// FindPrincipal computes the first two principal axes of the rows of a matrix, n x width floats, by block Lanczos with
// full orthogonalisation. No matrix of width x width is made. It depends on the rows alone: sums are in their order and
// no product is fused. It stops when both axes solve C v = lambda v to 1e-9 of the largest lambda.
func FindPrincipal(ctx context.Context, rows []float32, width int) (Principal, error) {
	p := Principal{Mean: make([]float64, width)}
	n := len(rows) / width
	for i := range n {
		for j, x := range rows[i*width:][:width] {
			p.Mean[j] += float64(x)
		}
	}
	for j := range p.Mean {
		p.Mean[j] /= float64(n)
	}
	k := krylov{rows: rows, mean: p.Mean}
	start := make([][]float64, min(block, width))
	for b := range start {
		start[b] = make([]float64, width)
		for j := range start[b] {
			start[b][j] = spread(uint64(b*width+j)) - .5
		}
	}
	var values []float64
	var vectors [][]float64
	for range maxRounds {
		done := false
		var err error
		if values, vectors, done, err = k.round(ctx, start); err != nil {
			return p, err
		}
		if done {
			break
		}
		start = vectors[:min(len(vectors), block)]
	}
	kept := 0.
	for i := range p.Axes {
		p.Axes[i] = make([]float64, width)
		if i < len(vectors) {
			p.Axes[i] = positive(vectors[i])
			kept += max(values[i], 0)
		}
	}
	if all := k.variance(); all > 0 {
		p.Share = min(kept/all, 1)
	}
	return p, nil
}

// spread maps a number to [0, 1) as a hash does (splitmix64), so a start is not a special direction of any model.
func spread(i uint64) float64 {
	z := (i + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// krylov grows a basis in which the largest variances of rows are soon found.
type krylov struct {
	rows []float32
	mean []float64
}

// round grows a basis from a start. It returns the best values and vectors in it, the largest first, and whether the
// first two are exact to the tolerance.
func (k krylov) round(ctx context.Context, start [][]float64) (
	values []float64, vectors [][]float64, done bool, err error,
) {
	var basis, images [][]float64
	for next := start; ; {
		if err := ctx.Err(); err != nil {
			return nil, nil, false, err
		}
		next = orthonormal(basis, next)
		if len(next) == 0 { // the basis has all there is
			values, vectors, _ = ritz(basis, images)
			return values, vectors, true, nil
		}
		basis = append(basis, next...)
		images = append(images, k.times(next)...)
		var worst float64
		if values, vectors, worst = ritz(basis, images); worst <= tolerance {
			return values, vectors, true, nil
		}
		if len(basis) >= maxBasis {
			return values, vectors, false, nil
		}
		next = slices.Clone(images[len(images)-len(next):])
		for i := range next {
			next[i] = slices.Clone(next[i])
		}
	}
}

// times returns C v for some v, where C is the covariance of the rows times their number.
func (k krylov) times(vectors [][]float64) [][]float64 {
	width := len(k.mean)
	out := make([][]float64, len(vectors))
	for b := range out {
		out[b] = make([]float64, width)
	}
	row := make([]float64, width)
	for at := 0; at < len(k.rows); at += width {
		for j, x := range k.rows[at:][:width] {
			row[j] = float64(x) - k.mean[j]
		}
		for b, v := range vectors {
			add(out[b], dot(row, v), row)
		}
	}
	return out
}

// variance returns the sum of squares of the rows' distances to their mean.
func (k krylov) variance() (sum float64) {
	width := len(k.mean)
	for i, x := range k.rows {
		d := float64(x) - k.mean[i%width]
		sum += float64(d * d)
	}
	return sum
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// add adds c times b to a.
func add(a []float64, c float64, b []float64) {
	for i, x := range b {
		a[i] += float64(c * x)
	}
}

// orthonormal returns vectors of length 1 that are orthogonal to a basis and to each other, and span with it what the
// given ones span. It may change those.
func orthonormal(basis, vectors [][]float64) (list [][]float64) {
	for _, v := range vectors {
		before := math.Sqrt(dot(v, v))
		for range 2 { // once is not enough in floating point
			for _, b := range basis {
				add(v, -dot(b, v), b)
			}
			for _, b := range list {
				add(v, -dot(b, v), b)
			}
		}
		length := math.Sqrt(dot(v, v))
		if !(length > 1e-10*before) {
			continue
		}
		for i := range v {
			v[i] /= length
		}
		list = append(list, v)
	}
	return list
}

// ritz returns the eigenvalues and eigenvectors of C inside a basis, whose images C b are given, the largest first: at
// most block of them. worst is the greatest error of the first two, relative to the first value.
func ritz(basis, images [][]float64) (values []float64, vectors [][]float64, worst float64) {
	m := len(basis)
	h := make([][]float64, m)
	for i := range h {
		h[i] = make([]float64, m)
		for j := range h[i] {
			h[i][j] = dot(basis[i], images[j])
		}
	}
	for i := range h {
		for j := range i {
			h[i][j] = (h[i][j] + h[j][i]) / 2
			h[j][i] = h[i][j]
		}
	}
	turned := jacobi(h)
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(h[b][b], h[a][a]) })
	for i, at := range order[:min(m, block)] {
		vector, image := make([]float64, len(basis[0])), make([]float64, len(basis[0]))
		for j := range m {
			add(vector, turned[j][at], basis[j])
			add(image, turned[j][at], images[j])
		}
		values, vectors = append(values, h[at][at]), append(vectors, vector)
		add(image, -h[at][at], vector)
		if i < 2 && values[0] > 0 {
			worst = max(worst, math.Sqrt(dot(image, image))/values[0])
		}
	}
	if m < 2 && len(basis[0]) > 1 {
		worst = math.Inf(1)
	}
	return values, vectors, worst
}

// jacobi makes a symmetric matrix diagonal by rotations, and returns their product, whose columns are the eigenvectors.
func jacobi(a [][]float64) [][]float64 {
	m := len(a)
	v := make([][]float64, m)
	for i := range v {
		v[i] = make([]float64, m)
		v[i][i] = 1
	}
	for range 60 {
		off, all := 0., 0.
		for i := range a {
			for j := range a {
				all += float64(a[i][j] * a[i][j])
				if i != j {
					off += float64(a[i][j] * a[i][j])
				}
			}
		}
		if off <= 1e-30*all {
			break
		}
		for p := range m {
			for q := p + 1; q < m; q++ {
				turn(a, v, p, q)
			}
		}
	}
	return v
}

// turn makes the element (p, q) of a zero.
func turn(a, v [][]float64, p, q int) {
	if a[p][q] == 0 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	for k := range a {
		x, y := a[k][p], a[k][q]
		a[k][p], a[k][q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	for k := range a {
		x, y := a[p][k], a[q][k]
		a[p][k], a[q][k] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
		x, y = v[k][p], v[k][q]
		v[k][p], v[k][q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}

// positive returns v or -v, whose largest coordinate is positive.
func positive(v []float64) []float64 {
	at := 0
	for i, x := range v {
		if math.Abs(x) > math.Abs(v[at]) {
			at = i
		}
	}
	if len(v) > 0 && v[at] < 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
	return v
}
