package command_test

import (
	"reflect"
	"testing"

	"github.com/spherelab/spherelab/kernel/command"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		code string
		want []command.Part
	}{
		{"a\nb", []command.Part{{Text: "a\nb", Line: 1}}},
		{"%cd x\n\na", []command.Part{{Command: true, Text: "%cd x", Line: 1}, {Text: "\na", Line: 2}}},
		{"a\n$ls\nb", []command.Part{{Text: "a", Line: 1}, {Command: true, Text: "$ls", Line: 2}, {Text: "b", Line: 3}}},
		{"s := `\n%x\n`\n%vars", []command.Part{{Text: "s := `\n%x\n`", Line: 1}, {Command: true, Text: "%vars", Line: 4}}},
		{"/*\n%x\n*/", []command.Part{{Text: "/*\n%x\n*/", Line: 1}}},
		{"f(\n%x\n)", []command.Part{{Text: "f(\n%x\n)", Line: 1}}},
		{"x := a +\n%x", []command.Part{{Text: "x := a +\n%x", Line: 1}}},
		{"i++\n%vars", []command.Part{{Text: "i++", Line: 1}, {Command: true, Text: "%vars", Line: 2}}},
		{"s := \"`\"\n%vars", []command.Part{{Text: "s := \"`\"", Line: 1}, {Command: true, Text: "%vars", Line: 2}}},
		{"c := '\"'\n%vars", []command.Part{{Text: "c := '\"'", Line: 1}, {Command: true, Text: "%vars", Line: 2}}},
		{"a // ` \" (\n%vars", []command.Part{{Text: "a // ` \" (", Line: 1}, {Command: true, Text: "%vars", Line: 2}}},
		{"fmt.Println?", []command.Part{{Command: true, Text: "fmt.Println?", Line: 1}}},
		{"// what is x?", []command.Part{{Text: "// what is x?", Line: 1}}},
		{"%%m a\nb\n%c", []command.Part{{Command: true, Text: "%%m a", Body: "b\n%c", Line: 1}}},
		{"", nil},
	} {
		got := command.Split(tt.code)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v", tt.code, got)
		}
	}
}
