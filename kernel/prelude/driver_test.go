package prelude

import (
	"strings"
	"testing"
)

// driverCells read a run of 4 epochs by the packages that Go programs use for databases.
var driverCells = [][2]string{
	{`import ("database/sql"; "errors"; "fmt"; "github.com/jmoiron/sqlx"; "github.com/lib/pq")
plain, err := sql.Open("postgres", lab.URL())
var count, last int
err = plain.QueryRowContext(ctx, "select count(*), max(epoch) from spherelab.epoch where run_name = $1", "read").Scan(&count, &last)
fmt.Sprint(count, last, err)`, "4 4 <nil>"},
	{`db, err := sqlx.Connect("postgres", lab.URL())
type Place struct{ Epoch int64 }
type Row struct {
	Place
	Name string ` + "`db:\"run_name\"`" + `
	Loss *float64
	Note sql.NullString
}
const query = "select run_name, epoch, loss, null as note from spherelab.epoch order by epoch desc"
var rows []Row
err = db.SelectContext(ctx, &rows, query)
fmt.Sprint(len(rows), rows[0].Epoch, rows[3].Epoch, rows[1].Name, *rows[0].Loss > 0, rows[0].Note.Valid, err)`,
		"4 4 1readtrue false <nil>"},
	{`var one Row
err = db.Get(&one, query + " limit 1 offset 1")
fmt.Sprint(one.Epoch, one.Name, err)`, "3read<nil>"},
	{`cursor, err := db.NamedQuery("select run_name, epoch from spherelab.epoch where epoch > :epoch order by epoch",
	Row{Place: Place{2}})
total := int64(0)
for cursor.Next() {
	var r Row
	if err = cursor.StructScan(&r); err == nil { total += 10*r.Epoch + int64(len(r.Name)) }
}
fmt.Sprint(total, err)`, "78 <nil>"},
	{`var names []string
err = db.Select(&names, "select distinct run_name from spherelab.epoch where epoch = any($1)", pq.Array([]int64{3, 9}))
fmt.Sprint(names, err)`, "[read] <nil>"},
	{`var narrow []struct{ Epoch int }
db.Select(&narrow, "select epoch, loss from spherelab.epoch")`, "missing destination name loss in *[]struct { Epoch int }"},
	{`type Name string
var named []struct{ N Name }
err = db.Select(&named, "select 'a' as n")
fmt.Sprint(named, err)`, "[{a}] <nil>"},
	{`import ("database/sql/driver"; "strings")
type Words []string
func (w *Words) Scan(v any) error { *w = strings.Fields(fmt.Sprint(v)); return nil }
func (w Words) Value() (driver.Value, error) { return strings.Join(w, " "), nil }
type Line struct { T Words; Inner *Line }
var line Line
err = db.Get(&line, "select $1 as t", Words{"a", "b"})
fmt.Sprint(len(line.T), line.T, err)`, "2 [a b] <nil>"},
	{`var refused *pq.Error
_, err = db.Exec("delete from runs")
fmt.Sprint(errors.As(err, &refused), refused.Code.Name())`, "trueread_only_sql_transaction"},
}

// TestDrivers: cells open the tracker's database as Go programs do, with a login that can only read.
func TestDrivers(t *testing.T) {
	s := newSession(t)
	s.cell(`lab.Train(lab.Graph("bundled"), lab.Model("sphere-2d").Dim(4).Epochs(4).Name("read"))`)
	for _, c := range driverCells {
		if text, _ := s.cell(c[0]); !strings.Contains(text, c[1]) {
			t.Errorf("%s\ngives %q, want %q", c[0], text, c[1])
		}
	}
}
