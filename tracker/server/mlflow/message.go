package mlflow

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

const tagRunName = "mlflow.runName"

// integer is an int64 that clients write as a number or, as protobuf's JSON does, as a text.
type integer int64

func (n *integer) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	if text == "null" {
		return nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil { // 1e3 and 5.0 are integers too
		f, err2 := strconv.ParseFloat(text, 64)
		if err2 != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			return invalid("%.40q is not an integer", text)
		}
		v = int64(f)
	}
	*n = integer(v)
	return nil
}

// float is a metric's value: a number, or "NaN", "Infinity", "-Infinity".
type float float64

// nan is a metric's value that is not a number.
var nan = float(math.NaN())

func (x float) MarshalJSON() ([]byte, error) {
	switch {
	case math.IsNaN(float64(x)):
		return []byte(`"NaN"`), nil
	case math.IsInf(float64(x), 1): // MLflow stores no infinities, but a column can hold them
		return []byte(`"Infinity"`), nil
	case math.IsInf(float64(x), -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(float64(x))
}

func (x *float) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // beyond the range it is an infinity
		return invalid("%.40q is not a number", text)
	}
	*x = float(v)
	return nil
}

// longestRequest limits a request in bytes, as MLflow limits log-batch; a dataset's profile may be longer.
const (
	longestRequest = 1_000_000
	longestInputs  = 32 << 20
)

// decode reads the body of a POST request. It ignores unknown fields: newer clients send some.
func decode(r *http.Request, longest int64, into any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, longest))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return invalid("the request has more than %d bytes; divide it", longest)
		}
		return faultf("BAD_REQUEST", "the request could not be read")
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}")
	}
	return unmarshal(raw, into)
}

// unmarshal reads JSON. Its errors name the fields of the request, not those of Go.
func unmarshal(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what := "the request"
		if wrong.Field != "" {
			what = fmt.Sprintf("field %q of the request", fieldName(reflect.TypeOf(into), wrong.Field))
		}
		kind, _, _ := strings.Cut(wrong.Value, " ") // for a number, the number follows
		article := "a"
		if kind == "array" || kind == "object" {
			article = "an"
		}
		return invalid("%s must not be %s %s", what, article, kind)
	}
	return faultf("BAD_REQUEST", "the request is not JSON: %v", err)
}

// fieldName converts a path of encoding/json to the names of a request: without the names of embedded structs, which
// the request does not have, and in lower case where Go's names have no tags.
func fieldName(of reflect.Type, path string) string {
	var names []string
	for part := range strings.SplitSeq(path, ".") {
		for of != nil && (of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice) {
			of = of.Elem()
		}
		if of == nil || of.Kind() != reflect.Struct {
			names, of = append(names, part), nil
			continue
		}
		field, ok := of.FieldByNameFunc(func(name string) bool {
			f, _ := of.FieldByName(name)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return tag == part || name == part && len(f.Index) == 1
		})
		switch {
		case !ok:
			names, of = append(names, strings.ToLower(part)), nil
		case field.Anonymous:
			of = field.Type
		case field.Tag.Get("json") != "":
			names, of = append(names, part), field.Type
		default:
			names, of = append(names, strings.ToLower(part)), field.Type
		}
	}
	return strings.Join(names, ".")
}

// pair is a param or a tag.
type pair struct {
	Key   string `json:"key" db:"key"`
	Value string `json:"value" db:"value"`
}

// pairs makes a map of a list. A key that appears twice must have one value.
func pairs(kind string, list []pair) (map[string]string, error) {
	m := make(map[string]string, len(list))
	for _, p := range list {
		if old, ok := m[p.Key]; ok && old != p.Value && kind == "param" {
			return nil, invalid("param %q is in the request twice, with other values", p.Key)
		}
		m[p.Key] = p.Value
	}
	return m, nil
}

// pageToken returns a token for where the next page begins.
func pageToken(offset int) string {
	raw, _ := json.Marshal(map[string]int{"offset": offset}) // never fails
	return base64.StdEncoding.EncodeToString(raw)
}

func readToken(token string) (offset int, err error) {
	if token == "" {
		return 0, nil
	}
	var page struct{ Offset int }
	raw, err := base64.StdEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(raw, &page)
	}
	if err != nil || page.Offset < 0 {
		return 0, invalid("the page token %.40q is not one of this server", token)
	}
	return page.Offset, nil
}

// pageSize returns a request's max_results.
func pageSize(n *integer, usual, limit int) (int, error) {
	if n == nil {
		return usual, nil
	}
	if *n < 1 || int64(*n) > int64(limit) {
		return 0, invalid("max_results is %d; it must be between 1 and %d", *n, limit)
	}
	return int(*n), nil
}

// stages are the lifecycle stages of a view type, which clients write as a name or as protobuf's number.
func stages(view json.RawMessage) ([]string, error) {
	switch text := strings.Trim(string(view), `"`); text {
	case "", "null", "ACTIVE_ONLY", "1":
		return []string{"active"}, nil
	case "DELETED_ONLY", "2":
		return []string{"deleted"}, nil
	case "ALL", "3":
		return []string{"active", "deleted"}, nil
	default:
		return nil, invalid("the view type %.40q is not ACTIVE_ONLY, DELETED_ONLY or ALL", text)
	}
}
