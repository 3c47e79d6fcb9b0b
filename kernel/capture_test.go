package kernel

import "testing"

func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		data string
		want int
	}{{"abc", 0}, {"abX", 1}, {"abXY", 2}, {"XYZ", 0}, {"", 0}, {"XYXY", 2}} {
		if got := overlap([]byte(tt.data), []byte("XYZ")); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.data, got, tt.want)
		}
	}
}
