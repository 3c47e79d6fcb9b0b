package quantity

import (
	"math"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{Count(1, "run"), "1 run"}, {Count(0, "run"), "0 runs"}, {Count(1500, "run"), "1500 runs"},
		{CountOf(1, "entity is", "entities are"), "1 entity is"}, {CountOf(2, "entity is", "entities are"), "2 entities are"},
		{CommaCount(1, "point"), "1 point"}, {CommaCount(14541, "point"), "14,541 points"},
		{CommaCountOf(1000, "series", "series"), "1,000 series"},
		{Commas(0), "0"}, {Commas(999), "999"}, {Commas(-1000), "-1,000"}, {Commas(1234567), "1,234,567"},
		{CommasIn("-12345.678"), "-12,345.678"}, {CommasIn("-0.00"), "0.00"}, {CommasIn("0.5"), "0.5"},
		{Fraction(.4512, 3), ".451"}, {Fraction(-.4, 4), "-.4000"}, {Fraction(1, 3), "1.000"}, {Fraction(10.5, 3), "10.500"},
		{Fraction(math.NaN(), 3), "NaN"}, {Exact(.1), "0.1"}, {Exact(1e21), "1e+21"},
		{Seconds(1.52), "1.5 s"}, {Seconds(12.4), "12 s"}, {Seconds(200), "3m20s"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
