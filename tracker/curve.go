package tracker

// Curve is the history of a metric, reduced to what a picture can show.
type Curve struct {
	Key    string
	Points []Point // by step and time; without a time where the curve is reduced
	Total  int     // number of points stored in the range of steps

	// Set for a reduced curve only: the mean of each column's finite values at the middle of its steps, the number of
	// values of each mean, and the number of points that are NaN.
	Means  []Point
	Counts []int
	NaNs   int
}

// Reduced reports whether points were left out.
func (c Curve) Reduced() bool { return len(c.Points) < c.Total }

// Steps is a range of steps with both ends.
type Steps struct{ From, To int64 }
