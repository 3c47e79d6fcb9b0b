package expect

// Fewer returns n, or few under the race detector, which makes a step many times slower: races show in the first steps.
func Fewer(n, few int) int {
	if RaceDetector {
		return few
	}
	return n
}
