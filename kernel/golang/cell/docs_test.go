package cell

import (
	"strings"
	"testing"
	"time"
)

func TestCommentAbove(t *testing.T) {
	for _, tt := range []struct{ above, want string }{
		{"", ""},
		{"// A.\n", "A."},
		{"x := 1\n\t//  A.\r\n\t//B\n\t", " A.\nB"},
		{"// A.\n\n", ""},
		{"// A. */\nx()\n", ""},
		{"/* A\nB */\n", "A\nB"},
		{"/* A */ /* B */\r\n", "B"},
		{"/* A */\n\n", ""},
		{"x := `\n*/\n", ""},
		{"x(); ", ""},
	} {
		if got := commentAbove([]byte(tt.above+"func f()"), len(tt.above)); got != tt.want {
			t.Errorf("above %q is %q, want %q", tt.above, got, tt.want)
		}
	}
}

// TestCommentAboveIsNear: how much stands further above does not matter, so long cells are not slow.
func TestCommentAboveIsNear(t *testing.T) {
	took := func(lines int) time.Duration {
		code := []byte(strings.Repeat("x++\n", lines) + "// A.\n")
		least := time.Hour
		for range 20 {
			begin := time.Now()
			for range 100 {
				commentAbove(code, len(code))
			}
			least = min(least, time.Since(begin))
		}
		return least
	}
	if few, many := took(10), took(100_000); many > 100*few {
		t.Errorf("behind 10 lines %v, behind 100,000 %v", few, many)
	}
}
