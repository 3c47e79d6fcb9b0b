package postgres

import (
	"encoding/binary"
	"math"

	"github.com/spherelab/spherelab/tracker"
)

// Points are passed to PostgreSQL as arrays in its binary form, which our connections send unchanged. Text would be
// written here and parsed there, digit by digit, which was most of the cost of a point.

// The types of the elements, by the numbers that PostgreSQL has for them in every database.
const (
	oidBool   = 16
	oidInt8   = 20
	oidText   = 25
	oidFloat8 = 701
)

// binaryArray starts an array of count elements, which follow in the form of appendElement.
func binaryArray(oid, count, bytes int) []byte {
	out := make([]byte, 0, 20+4*count+bytes)
	if count == 0 { // an empty array has no dimension
		return binary.BigEndian.AppendUint32(append(out, 0, 0, 0, 0, 0, 0, 0, 0), uint32(oid))
	}
	for _, n := range []int{1, 0, oid, count, 1} { // dimensions, whether there are NULLs, type, length, first index
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	return out
}

// bigints, doubles, bools and texts return columns of rows.
func bigints(rows []tracker.MetricRow, of func(tracker.MetricRow) int64) []byte {
	out := binaryArray(oidInt8, len(rows), 8*len(rows))
	for _, r := range rows {
		out = binary.BigEndian.AppendUint64(append(out, 0, 0, 0, 8), uint64(of(r)))
	}
	return out
}

func doubles(rows []tracker.MetricRow, of func(tracker.MetricRow) float64) []byte {
	out := binaryArray(oidFloat8, len(rows), 8*len(rows))
	for _, r := range rows {
		out = binary.BigEndian.AppendUint64(append(out, 0, 0, 0, 8), math.Float64bits(of(r)))
	}
	return out
}

func bools(rows []tracker.MetricRow, of func(tracker.MetricRow) bool) []byte {
	out := binaryArray(oidBool, len(rows), len(rows))
	for _, r := range rows {
		b := byte(0)
		if of(r) {
			b = 1
		}
		out = append(out, 0, 0, 0, 1, b)
	}
	return out
}

func texts(rows []tracker.MetricRow, of func(tracker.MetricRow) string) []byte {
	bytes := 0
	for _, r := range rows {
		bytes += len(of(r))
	}
	out := binaryArray(oidText, len(rows), bytes)
	for _, r := range rows {
		text := of(r)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(text))), text...)
	}
	return out
}
