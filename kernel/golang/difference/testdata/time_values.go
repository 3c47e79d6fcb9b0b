package main

import (
	"fmt"
	"sort"
	"time"
)

type event struct {
	at   time.Time
	name string
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at.Before(e[j].at) }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }

func main() {
	t := time.Date(2024, time.February, 28, 23, 30, 0, 0, time.UTC)
	u := t.Add(time.Hour).AddDate(0, 0, 1)
	fmt.Println(t.Format(time.RFC3339), u.Weekday(), u.Sub(t), u.After(t), t.YearDay())
	p, err := time.Parse("2006-01-02", "2024-13-01")
	fmt.Println(p.IsZero(), err)
	d, _ := time.ParseDuration("1h15m30.5s")
	fmt.Println(d, d.Minutes(), d.Round(time.Minute), d.Truncate(time.Hour))
	es := events{{u, "u"}, {t, "t"}}
	sort.Sort(es)
	fmt.Println(es[0].name, es[1].at.Unix())
	fmt.Println(t, t.Equal(t.In(time.FixedZone("X", 3600))), time.March, time.Saturday)
	m := map[time.Month]int{time.May: 31}
	fmt.Println(m, t.Month() == time.February, time.Time{}.IsZero())
}
