package main

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A driver that answers each query with its arguments.
type echoDriver struct{}

func (echoDriver) Open(string) (driver.Conn, error) { return &echoConn{}, nil }

type echoConn struct{}

func (*echoConn) Prepare(q string) (driver.Stmt, error) { return &echoStmt{q}, nil }
func (*echoConn) Close() error                          { return nil }
func (*echoConn) Begin() (driver.Tx, error)             { return nil, errors.New("no transactions") }

type echoStmt struct{ q string }

func (s *echoStmt) Close() error  { return nil }
func (s *echoStmt) NumInput() int { return -1 }
func (s *echoStmt) Exec(args []driver.Value) (driver.Result, error) {
	return driver.RowsAffected(len(args)), nil
}
func (s *echoStmt) Query(args []driver.Value) (driver.Rows, error) {
	return &echoRows{strings.Fields(s.q), args, false}, nil
}

type echoRows struct {
	names []string
	args  []driver.Value
	done  bool
}

func (r *echoRows) Columns() []string { return r.names }
func (r *echoRows) Close() error      { return nil }
func (r *echoRows) Next(dest []driver.Value) error {
	if r.done {
		return io.EOF
	}
	r.done = true
	copy(dest, r.args)
	return nil
}

type Mood string

type Grade int

func (g Grade) Value() (driver.Value, error) {
	if g < 0 {
		return nil, fmt.Errorf("grade %d", int(g))
	}
	return "grade-" + strconv.Itoa(int(g)), nil
}

func (g *Grade) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a grade from %T", src)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text, "grade-"))
	*g = Grade(n)
	return err
}

type Tags []string

func (t Tags) Value() (driver.Value, error) { return strings.Join(t, ","), nil }
func (t *Tags) Scan(src any) error {
	*t = strings.Split(fmt.Sprint(src), ",")
	return nil
}

type plain struct{ A int }

// A loader of settings, as libraries for the environment and for flags have it.
type Settings struct {
	Host   string        `env:"HOST" default:"localhost"`
	Port   Port          `env:"PORT" default:"80"`
	Wait   time.Duration `env:"WAIT" default:"2s"`
	Level  Level         `env:"LEVEL" default:"low"`
	Nested struct {
		Deep bool `env:"DEEP" default:"true"`
	}
	skipped int
}

type Port uint16

type Level int

func (l *Level) UnmarshalText(b []byte) error {
	switch string(b) {
	case "low":
		*l = 1
	case "high":
		*l = 9
	default:
		return fmt.Errorf("level %q", b)
	}
	return nil
}

func (l Level) MarshalText() ([]byte, error) { return []byte(fmt.Sprint("L", int(l))), nil }

type textUnmarshaler interface{ UnmarshalText([]byte) error }

func load(v any, env map[string]string) error {
	rv := reflect.ValueOf(v).Elem()
	for i := range rv.NumField() {
		f, field := rv.Type().Field(i), rv.Field(i)
		if !f.IsExported() {
			continue
		}
		key := f.Tag.Get("env")
		text, ok := env[key]
		if !ok {
			text = f.Tag.Get("default")
		}
		switch p := field.Addr().Interface().(type) {
		case *time.Duration:
			d, err := time.ParseDuration(text)
			if err != nil {
				return err
			}
			*p = d
			continue
		case textUnmarshaler:
			if err := p.UnmarshalText([]byte(text)); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			continue
		}
		switch field.Kind() {
		case reflect.String:
			field.SetString(text)
		case reflect.Uint16:
			n, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return err
			}
			field.SetUint(n)
		case reflect.Bool:
			field.SetBool(text == "true")
		case reflect.Struct:
			if err := load(field.Addr().Interface(), env); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s has type %s", f.Name, f.Type)
		}
	}
	return nil
}

type Celsius float64

func (c *Celsius) Scan(state fmt.ScanState, verb rune) error {
	var f float64
	if _, err := fmt.Fscan(state, &f); err != nil {
		return err
	}
	*c = Celsius(f - 273)
	return nil
}

func main() {
	sql.Register("echo", echoDriver{})
	db, err := sql.Open("echo", "")
	fmt.Println(err)
	var mood Mood
	var grade Grade
	var tags Tags
	var p *Mood
	var null sql.Null[Grade]
	row := db.QueryRow("a b c d e", Mood("fine"), Grade(3), Tags{"x", "y"}, Mood("there"), Grade(5))
	fmt.Println(row.Scan(&mood, &grade, &tags, &p, &null), mood, grade, tags, *p, null)
	fmt.Println(db.QueryRow("a", 7).Scan(&grade))
	fmt.Println(db.QueryRow("a", "text").Scan(new(plain)))
	fmt.Println(db.QueryRow("a", Grade(-1)).Scan(&grade))
	_, err = db.Exec("x", plain{1})
	fmt.Println(err)
	_, err = db.Exec("x", []Mood{"a"})
	fmt.Println(err)
	result, err := db.Exec("x", &grade, (*Grade)(nil), sql.Null[Mood]{V: "m", Valid: true})
	fmt.Println(err)
	n, _ := result.RowsAffected()
	fmt.Println(n)

	var s Settings
	fmt.Println(load(&s, map[string]string{"PORT": "8080", "LEVEL": "high"}))
	fmt.Println(s.Host, s.Port, s.Wait, int(s.Level), s.Nested)
	fmt.Println(load(&s, map[string]string{"LEVEL": "odd"}))

	set := flag.NewFlagSet("t", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	level := Level(3)
	set.TextVar(&level, "level", Level(2), "the level")
	fmt.Println(set.Parse([]string{"-level", "high"}), int(level), set.Lookup("level").DefValue)
	fmt.Println(set.Parse([]string{"-level", "odd"}))
	func() {
		defer func() { fmt.Println(recover()) }()
		set.TextVar(&level, "other", new(time.Time), "")
	}()

	var c Celsius
	var m Mood
	count, err := fmt.Sscan("300.5 word", &c, &m)
	fmt.Println(count, err, float64(c), m)
	count, err = fmt.Sscanf("7-x", "%d-%s", (*int)(&[]int{0}[0]), &m)
	fmt.Println(count, err, m)
	count, err = fmt.Sscan("12", new(plain))
	fmt.Println(count, err)
}
