package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

type Status string

type Event struct {
	ID     int       `json:"id"`
	Status Status    `json:"status"`
	Kids   []Event   `json:"kids,omitempty"`
	Score  []float64 `json:"score"`
	Opt    struct {
		On bool `json:"on"`
	} `json:"opt"`
}

func main() {
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	fmt.Println(enc.Encode(Event{ID: 1, Status: "ok", Kids: []Event{{ID: 2}}}))
	dec := json.NewDecoder(strings.NewReader(`{"id":1,"status":"a"} {"id":2,"kids":[{"id":3,"kids":[{"id":4}]}]}`))
	for dec.More() {
		var e Event
		if err := dec.Decode(&e); err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(e.ID, e.Status, len(e.Kids), e.Opt.On)
		if len(e.Kids) > 0 {
			fmt.Println(e.Kids[0].Kids[0].ID)
		}
	}
	strict := json.NewDecoder(strings.NewReader(`{"id":1,"nope":2}`))
	strict.DisallowUnknownFields()
	var e Event
	fmt.Println(strict.Decode(&e))
}
