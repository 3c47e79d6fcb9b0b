package main

import (
	"encoding/json"
	"fmt"
	"time"
)

type Event struct {
	At  time.Time
	For time.Duration
}

type Timeout time.Duration

func (t Timeout) String() string { return "T" + time.Duration(t).String() }

func main() {
	t := time.Date(2024, time.February, 29, 13, 4, 5, 6e6, time.UTC)
	fmt.Println(t, t.Weekday(), t.YearDay(), t.Month(), t.Unix())
	fmt.Println(t.Format(time.RFC3339Nano), t.Format("Jan _2 06 03:04PM .000"), t.AddDate(1, 0,
		0).Format(time.DateOnly))
	e := Event{t, 90 * time.Second}
	fmt.Println(e, e.For.Minutes())
	fmt.Printf("%v %+v %s %d %T\n", e.For, e, e.For, e.For, e.For)
	b, _ := json.Marshal(e)
	fmt.Println(string(b))
	var f Event
	fmt.Println(json.Unmarshal(b, &f), f.At.Equal(t), f == e)
	fmt.Println(Timeout(1500*time.Millisecond), []Timeout{1},
		map[string]time.Duration{"a": time.Hour + time.Nanosecond})
	p, err := time.Parse("2006-01-02", "2024-13-01")
	fmt.Println(p, err)
	d, err := time.ParseDuration("1h15m30.5s")
	fmt.Println(d, err, d.Round(time.Minute), d.Truncate(time.Hour), t.Sub(t.Add(-d)))
	fmt.Println(t.Before(t.Add(1)), t.Truncate(24*time.Hour), time.Time{}.IsZero(), time.UnixMilli(0).UTC())
	const day = 24 * time.Hour
	fmt.Println(day, day/7, time.Duration(2.5*float64(time.Second)))
}
