// Errors of packages that look into values name the types of programs.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"text/template"
)

type text struct{ S string }

type number int

type broken struct{ calls *int }

func (b broken) Error() string {
	*b.calls++
	return fmt.Sprint("broken ", *b.calls)
}

func (b broken) Read([]byte) (int, error) { return 0, b }

func main() {
	var b bytes.Buffer
	fmt.Println(binary.Write(&b, binary.BigEndian, text{}), binary.Write(&b, binary.BigEndian, number(1)))
	fmt.Println(binary.Read(&b, binary.BigEndian, &text{}), binary.Read(&b, binary.LittleEndian, number(1)))
	var n number
	_, err := fmt.Sscan("1 2", &n, &text{})
	fmt.Printf("%v %T %d\n", err, err, n)
	_, err = fmt.Sscan("1", n)
	fmt.Println(err)
	err = template.Must(template.New("x").Parse("{{.X}}\n")).Execute(os.Stdout, text{})
	var exec template.ExecError
	fmt.Println(err, errors.As(err, &exec))
	calls := 0
	_, err = fmt.Fscan(broken{&calls}, &n)
	fmt.Println(calls, err == broken{&calls}, err)
}
