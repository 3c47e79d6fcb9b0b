package main

import (
	"encoding/json"
	"fmt"
)

type Base struct {
	ID   int `json:"id"`
	Kind string
}

type inner struct{ Hidden, Shared string }

type Mid struct {
	*Base
	Shared string
}

type Top struct {
	Mid
	inner
	Named Base `json:"named"`
	Base  `json:"tagged"`
	Kind  int
}

func main() {
	t := Top{Mid{&Base{1, "k"}, "m"}, inner{"h", "s"}, Base{2, "n"}, Base{3, "t"}, 4}
	b, err := json.Marshal(t)
	fmt.Println(string(b), err)
	var u Top
	fmt.Println(json.Unmarshal([]byte(`{"id":9,"Hidden":"hh","Shared":"x","named":{"id":5},"tagged":{"Kind":"tk"},"Kind":6}`), &u))
	fmt.Println(u.Mid.Base.ID, u.Hidden, u.inner.Shared, u.Mid.Shared, u.Named, u.Base, u.Kind)
	var m Mid
	fmt.Println(json.Unmarshal([]byte(`{"Kind":"new"}`), &m), m.Base.Kind)
	b, err = json.Marshal(Mid{})
	fmt.Println(string(b), err)
}
