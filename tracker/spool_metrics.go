package tracker

import (
	"bytes"
	"strconv"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// decodeMetrics reads what appendMetrics writes, which is nearly all of a spool, in a fraction of the time that package
// json takes. It answers no to anything else.
func decodeMetrics(text []byte) (e entry, ok bool) {
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
