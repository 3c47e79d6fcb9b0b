// Package database/sql stores and fills types of the program, by a driver that the program has.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
)

// echo answers a query with its arguments.
type echo struct{ args []driver.Value }

func (e *echo) Connect(context.Context) (driver.Conn, error) { return e, nil }
func (e *echo) Driver() driver.Driver                        { return e }
func (e *echo) Open(string) (driver.Conn, error)             { return e, nil }
func (e *echo) Prepare(string) (driver.Stmt, error)          { return &statement{}, nil }
func (e *echo) Close() error                                 { return nil }
func (e *echo) Begin() (driver.Tx, error)                    { return nil, errors.New("no transactions") }

type statement struct{}

func (s *statement) Close() error  { return nil }
func (s *statement) NumInput() int { return -1 }
func (s *statement) Exec(args []driver.Value) (driver.Result, error) {
	return driver.RowsAffected(len(args)), nil
}
func (s *statement) Query(args []driver.Value) (driver.Rows, error) { return &answer{args, false}, nil }

type answer struct {
	values []driver.Value
	ended  bool
}

func (a *answer) Columns() []string {
	return strings.Split(strings.Repeat("v ", len(a.values)), " ")[:len(a.values)]
}
func (a *answer) Close() error { return nil }
func (a *answer) Next(to []driver.Value) error {
	if a.ended {
		return io.EOF
	}
	a.ended = true
	copy(to, a.values)
	return nil
}

type (
	ID    int
	name  string
	ratio float32
	flag  bool
	blob  []byte
	level int
	point struct{ X, Y int }
)

func (i ID) String() string { return fmt.Sprintf("#%d", int(i)) }

var levels = []string{"low", "high"}

func (l level) Value() (driver.Value, error) {
	if int(l) >= len(levels) {
		return nil, fmt.Errorf("no level %d", int(l))
	}
	return levels[l], nil
}

func (l *level) Scan(src any) error {
	for i, text := range levels {
		if src == text {
			*l = level(i)
			return nil
		}
	}
	return fmt.Errorf("no level %v (%T)", src, src)
}

type document struct{ Tags []string }

func (d *document) Value() (driver.Value, error) { return strings.Join(d.Tags, ","), nil }

func (d *document) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a document is text, not %T", src)
	}
	d.Tags = strings.Split(text, ",")
	return nil
}

func main() {
	db := sql.OpenDB(&echo{})
	defer db.Close()

	var (
		i  ID
		n  name
		r  ratio
		f  flag
		b  blob
		l  level
		d  document
		p  *ID
		nl sql.Null[level]
	)
	id := ID(9)
	row := db.QueryRow("", ID(1), name("n"), ratio(1.5), flag(true), blob("b"), level(1), &document{[]string{"x", "y"}},
		&id, sql.Null[level]{V: 1, Valid: true})
	fmt.Println(row.Scan(&i, &n, &r, &f, &b, &l, &d, &p, &nl))
	fmt.Println(i, n, r, f, string(b), l, d, *p, nl)

	rows, err := db.QueryContext(context.Background(), "", nil, (*ID)(nil), (*level)(nil), sql.Null[ID]{}, int64(3), "text")
	fmt.Println(err, rows.Next())
	var a1, a2 any
	var ni sql.Null[ID]
	var s name
	fmt.Println(rows.Scan(&p, &a1, &a2, &ni, &i, &s), p, a1, a2, ni, i, s)
	fmt.Println(rows.Next(), rows.Err())

	scan := func(from any, to any) {
		err := db.QueryRow("", from).Scan(to)
		fmt.Printf("%v\n", err)
	}
	scan("x", &i)
	scan(nil, &i)
	scan(int64(3), &n)
	scan("true", &f)
	scan("b", &b)
	scan(3.5, &r)
	scan("middle", &l)
	scan(int64(1), &d)
	scan(int64(1), new(point))
	scan(level(7), &a1)

	result, err := db.Exec("", sql.Named("id", ID(1)))
	fmt.Println(result, err)
	var q interface {
		QueryRow(string, ...any) *sql.Row
	} = db
	fmt.Println(q.QueryRow("", level(0)).Scan(&l), l)
	stmt, err := db.Prepare("")
	fmt.Println(err, stmt.QueryRow(ID(12)).Scan(&i), i)
}
