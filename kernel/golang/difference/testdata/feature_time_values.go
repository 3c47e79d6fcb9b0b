package main

import (
	"fmt"
	"time"
)

func main() {
	d := 90*time.Minute + 30*time.Second
	t := time.Date(2024, 2, 28, 23, 0, 0, 0, time.UTC)
	u := t.Add(d).AddDate(0, 0, 1)
	fmt.Println(d, u.Format("2006-01-02 15:04:05 Mon"), u.Sub(t), t.Before(u), t.YearDay(), time.March)
	p, err := time.Parse(time.DateOnly, "2024-13-01")
	fmt.Println(p.IsZero(), err)
}
