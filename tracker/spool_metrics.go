package tracker

import (
	"bytes"
	"math"
	"strconv"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// A record of metrics is not JSON, because a training waits for it after each step: "m", then the time and the step in
// 16 hexadecimal digits each, then ",", the value's bits in 16 digits and the key for each metric. A key has no comma.
// This needs neither tables nor divisions, unlike decimal numbers, whose code a training has evicted from the caches.

const bitDigits = 16 // digits of 64 bits in hexadecimal

// appendMetrics appends a record of metrics without its sum.
func appendMetrics[F ~float64](line []byte, e entry, values map[string]F) []byte {
	line = appendBits(append(line, 'm'), uint64(e.Time))
	line = appendBits(line, uint64(e.Step))
	for key, value := range values {
		line = appendBits(append(line, ','), math.Float64bits(float64(value)))
		line = append(line, key...)
	}
	return line
}

// appendBits appends hexadecimal digits.
func appendBits(line []byte, bits uint64) []byte {
	const digits = "0123456789abcdef"
	var text [bitDigits]byte
	for i := range text {
		text[i] = digits[bits>>60]
		bits <<= 4
	}
	return append(line, text[:]...)
}

// cutBits reads what appendBits writes, from the start of a text.
func cutBits(text []byte) (bits uint64, rest []byte, ok bool) {
	if len(text) < bitDigits {
		return 0, nil, false
	}
	for _, c := range text[:bitDigits] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		default:
			return 0, nil, false
		}
		bits = bits<<4 | uint64(c)
	}
	return bits, text[bitDigits:], true
}

// isMetrics reports whether a record was written by appendMetrics.
func isMetrics(text []byte) bool { return text[0] == 'm' }

// eachMetric reads what appendMetrics writes. It may call do before it finds that the rest is damaged.
func eachMetric(text []byte, do func(at, step int64, key []byte, value float64)) (at, step int64, err error) {
	text, ok := bytes.CutPrefix(text, []byte{'m'})
	first, text, ok1 := cutBits(text)
	second, text, ok2 := cutBits(text)
	if !ok || !ok1 || !ok2 {
		return 0, 0, errDamaged
	}
	at, step = int64(first), int64(second)
	for len(text) > 0 {
		value, rest, ok := cutBits(text[1:])
		if text[0] != ',' || !ok {
			return 0, 0, errDamaged
		}
		end := bytes.IndexByte(rest, ',')
		if end < 0 {
			end = len(rest)
		}
		do(at, step, rest[:end], math.Float64frombits(value))
		text = rest[end:]
	}
	return at, step, nil
}

// decodeMetrics returns the entry that appendMetrics wrote.
func decodeMetrics(text []byte) (entry, error) {
	values := map[string]jsonvalue.Exact{}
	at, step, err := eachMetric(text, func(_, _ int64, key []byte, value float64) {
		values[string(key)] = jsonvalue.Exact(value)
	})
	if err != nil {
		return entry{}, err
	}
	e := entry{Kind: "metric", Time: at, Step: step}
	if len(values) > 0 {
		e.Values = values
	}
	return e, nil
}

// decodeJSONMetrics reads the metrics of spools before version 5, in a fraction of the time that package json takes. ok
// is false for anything else.
func decodeJSONMetrics(text []byte) (e entry, ok bool) {
	e.Kind = "metric"
	text, ok = bytes.CutPrefix(text, []byte(`{"t":"metric"`))
	if !ok {
		return entry{}, false
	}
	for _, field := range []struct {
		name string
		to   *int64
	}{{`,"ms":`, &e.Time}, {`,"step":`, &e.Step}} {
		rest, there := bytes.CutPrefix(text, []byte(field.name))
		if !there {
			continue
		}
		end := bytes.IndexByte(rest, ',')
		if end < 1 {
			return entry{}, false
		}
		n, err := strconv.ParseInt(string(rest[:end]), 10, 64)
		if err != nil {
			return entry{}, false
		}
		*field.to, text = n, rest[end:]
	}
	text, ok = bytes.CutPrefix(text, []byte(`,"values":{`))
	if !ok {
		return entry{}, false
	}
	e.Values = make(map[string]jsonvalue.Exact, bytes.Count(text, []byte{':'}))
	for {
		text, ok = bytes.CutPrefix(text, []byte{'"'})
		end := bytes.IndexByte(text, '"')
		if !ok || end < 1 || end+2 > len(text) || text[end+1] != ':' || bytes.IndexByte(text[:end], '\\') >= 0 {
			return entry{}, false
		}
		key := string(text[:end])
		text = text[end+2:]
		end = bytes.IndexAny(text, ",}")
		if end < 1 {
			return entry{}, false
		}
		number := text[:end]
		if n := len(number); n > 2 && number[0] == '"' && number[n-1] == '"' { // NaN and the infinities
			number = number[1 : n-1]
		} else if number[0] != '-' && (number[0] < '0' || number[0] > '9') {
			return entry{}, false
		}
		value, err := strconv.ParseFloat(string(number), 64)
		if err != nil {
			return entry{}, false
		}
		e.Values[key] = jsonvalue.Exact(value)
		if text[end] == '}' {
			return e, string(text[end:]) == "}}"
		}
		text = text[end+1:]
	}
}
