package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

type Day int

func (d Day) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("day-%d", int(d))), nil }
func (d *Day) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "day-%d", (*int)(d))
	return err
}

type Temp struct{ deg float64 }

func (t Temp) MarshalJSON() ([]byte, error) {
	if t.deg > 100 {
		return nil, errors.New("too hot")
	}
	return json.Marshal(map[string]float64{"deg": t.deg})
}

func (t *Temp) UnmarshalJSON(b []byte) error {
	var m map[string]float64
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	t.deg = m["deg"]
	return nil
}

type Ptr struct{ s string }

func (p *Ptr) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToUpper(p.s)) }

type Week struct {
	First Day          `json:"first"`
	Days  []Day        `json:"days"`
	Temps map[Day]Temp `json:"temps"`
	P     *Temp        `json:"p"`
	Any   any          `json:"any"`
	None  *Day         `json:"none,omitempty"`
	Q     Ptr          `json:"q"`
	R     *Ptr         `json:"r"`
}

func main() {
	w := Week{First: 1, Days: []Day{2, 3}, Temps: map[Day]Temp{5: {1.5}, 4: {2}}, P: &Temp{7}, Any: Day(9),
		Q: Ptr{"q"}, R: &Ptr{"r"}}
	b, err := json.Marshal(w)
	fmt.Println(string(b), err)
	b, err = json.Marshal(&w)
	fmt.Println(string(b), err)
	var back Week
	err = json.Unmarshal([]byte(`{"first":"day-3","days":["day-1","day-7"],"temps":{"day-2":{"deg":8}},"p":{"deg":3},
		"any":"day-1","none":"day-4"}`), &back)
	fmt.Println(err, int(back.First), len(back.Days), int(back.Days[1]), back.Temps, back.P.deg, back.Any,
		int(*back.None))
	_, err = json.Marshal([]Temp{{101}})
	fmt.Println(err)
	fmt.Println(json.Unmarshal([]byte(`{"first":"x"}`), &back))
	b, err = json.Marshal([]any{Day(1), Temp{1}, &Ptr{"z"}, map[string]Day{"a": 2}})
	fmt.Println(string(b), err)
}
