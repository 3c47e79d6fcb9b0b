// JSON of types of the program: methods, embedded structs, and what is wrong.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

type Kind int

const (
	KA Kind = iota
	KB
)

func (k Kind) MarshalText() ([]byte, error) { return []byte([]string{"ka", "kb"}[k]), nil }
func (k *Kind) UnmarshalText(b []byte) error {
	switch string(b) {
	case "ka":
		*k = KA
	case "kb":
		*k = KB
	default:
		return fmt.Errorf("bad kind %q", b)
	}
	return nil
}

type Temp float64

func (t Temp) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%.1fC"`, float64(t)), nil }
func (t *Temp) UnmarshalJSON(b []byte) error {
	var f float64
	_, err := fmt.Sscanf(strings.Trim(string(b), `"`), "%fC", &f)
	*t = Temp(f)
	return err
}

type Base struct {
	ID     int `json:"id"`
	hidden string
	Note   string `json:"note,omitempty"`
}
type Doc struct {
	Base
	*Ext `json:"ext,omitempty"`
	K    Kind          `json:"k"`
	M    map[Kind]Temp `json:"m"`
	P    *Temp
	L    []Kind
	Any  any
	Raw  json.RawMessage `json:"raw"`
	S    string          `json:"-"`
	N    int             `json:",string"`
	T    time.Time       `json:"t,omitzero"`
	F    float64
	B    []byte
	Arr  [2]Temp
	I    interface{ X() } `json:"i"`
	D    time.Duration
	E    struct{ A, b int }
	U    map[string]json.Number
}
type Ext struct{ X2 int }
type Cyc struct {
	C *Cyc
	V int
}

func main() {
	t := Temp(3)
	d := Doc{Base: Base{1, "h", ""}, Ext: &Ext{5}, K: KB, M: map[Kind]Temp{KB: 1, KA: 2}, P: &t, L: []Kind{KA, KB},
		Any: []any{KB, Temp(9),
			map[string]any{"x": Base{ID: 2}}}, Raw: json.RawMessage(`{"a": 1}`), N: 7, B: []byte("hi"), F: 1e21}
	b, err := json.Marshal(d)
	fmt.Println(string(b), err)
	b, _ = json.MarshalIndent(&d, ">", "  ")
	fmt.Println(string(b))
	var e Doc
	err = json.Unmarshal([]byte(`{"id":9,"NOTE":"x","ext":{"X2":3},"k":"kb","m":{"ka":"4.5C"},"P":"1C",
"L":["kb"],"Any":{"a":[1,"b",null,true]},"raw":[1, 2],"N":"12",
"F":1.5,"B":"aGk=","Arr":["1C","2C","3C"],"D":5,"E":{"A":1,
	"b":2},"U":{"q":1.50},"t":"2024-01-02T03:04:05Z","zzz":1}`), &e)
	fmt.Println(err)
	fmt.Println(e.ID, e.Note, *e.Ext, e.K, e.M, *e.P, e.L, e.Any, string(e.Raw), e.N, e.F, string(e.B), e.Arr, e.D,
		e.E, e.U, e.T)
	for _, bad := range []string{`{"k":"zz"}`, `{"id":"s"}`, `{"id":1.5}`, `{"L":{}}`, `[1]`, `{"id":1`,
		`{"P":"x"}`, `{"N":1}`, `{"E":{"A":"x"}}`, `{"m":{"q":1}}`, ``, `{"i":1}`} {
		var d Doc
		fmt.Println(bad, "->", json.Unmarshal([]byte(bad), &d))
	}
	dec := json.NewDecoder(strings.NewReader(`{"id":1}{"unknown":2} [1,2]`))
	dec.DisallowUnknownFields()
	for range 3 {
		var d Doc
		fmt.Println(dec.Decode(&d), d.ID)
	}
	dec = json.NewDecoder(strings.NewReader(`[{"id":1},{"id":2}]`))
	dec.Token()
	for dec.More() {
		var b Base
		dec.Decode(&b)
		fmt.Print(b, " ")
	}
	tok, err := dec.Token()
	fmt.Println(tok, err)
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	enc.Encode(map[string]Temp{"<a>": 1})
	_, err = json.Marshal(map[bool]int{true: 1})
	fmt.Println(err)
	_, err = json.Marshal(struct {
		C chan int
		F func()
	}{})
	fmt.Println(err)
	_, err = json.Marshal([]Kind{5}[0:0])
	fmt.Println(err)
	x := &Cyc{V: 1}
	b, err = json.Marshal(x)
	fmt.Println(string(b), err)
	var anyv any
	json.Unmarshal([]byte(`{"b":1,"a":[{"c":null}]}`), &anyv)
	fmt.Println(anyv)
	fmt.Println(json.Unmarshal([]byte("1"), nil), json.Unmarshal([]byte("1"), e), json.Unmarshal([]byte("1"),
		(*Doc)(nil)))
	var k Kind
	fmt.Println(json.Unmarshal([]byte(`"kb"`), &k), k)
	var bs Base = Base{ID: 3, hidden: "keep", Note: "n"}
	json.Unmarshal([]byte(`{"id":4}`), &bs)
	fmt.Printf("%+v\n", bs)
	m := map[string]*Base{"a": &bs}
	json.Unmarshal([]byte(`{"a":{"note":"z"},"b":null}`), &m)
	fmt.Println(*m["a"], m["b"])
}
