package difference

import (
	"fmt"
	"strings"
)

// Types of random programs.
var (
	integerTypes = []string{"int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint"}
	floatTypes   = []string{"float32", "float64"}
)

// operand is an expression; two constants must not meet, since the compiler refuses what overflows.
type operand struct {
	text     string
	constant bool
}

// expression makes an expression of a basic type.
func (g *generator) expression(typ string, depth int) operand {
	if depth <= 0 {
		return g.leaf(typ)
	}
	switch {
	case typ == "string":
		return g.text(depth)
	case typ == "bool":
		return operand{g.condition(depth), false}
	case typ == "complex128":
		return g.complexNumber(depth)
	case strings.HasPrefix(typ, "float"):
		return g.float(typ, depth)
	}
	return g.integer(typ, depth)
}

// leaf is a variable or a literal.
func (g *generator) leaf(typ string) operand {
	if g.chance(4) {
		return operand{g.literal(typ), true}
	}
	return operand{g.variable(typ), false}
}

// value is an expression that is not constant.
func (g *generator) value(typ string, depth int) string {
	if e := g.expression(typ, depth); !e.constant {
		return e.text
	}
	return g.variable(typ)
}

func (g *generator) literal(typ string) string {
	switch typ {
	case "string":
		return fmt.Sprintf("%q", g.pick("", "a", "xyz", "hé", "世界", "a\xffb", "0123456789"))
	case "bool":
		return g.pick("true", "false")
	case "complex128":
		return g.pick("complex(1, 2)", "complex(-0.5, 3)", "complex128(2i)")
	case "float32", "float64":
		return typ + "(" + g.pick("0.5", "-2.25", "1e3", "0.1", "3", "-1e-3", "123456.789") + ")"
	case "int8":
		return "int8(" + g.pick("0", "1", "-1", "7", "127", "-128", "42") + ")"
	case "uint8":
		return "uint8(" + g.pick("0", "1", "2", "7", "128", "255") + ")"
	case "uint16", "uint32", "uint64", "uint":
		return typ + "(" + g.pick("0", "1", "3", "10", "255", "65535", "40000") + ")"
	}
	return typ + "(" + g.pick("0", "1", "-1", "2", "10", "-7", "100", "32767", "-32768") + ")"
}

func (g *generator) integer(typ string, depth int) operand {
	switch g.r.IntN(14) {
	case 0, 1, 2, 3:
		return g.binary(typ, depth, "+", "-", "*", "&", "|", "^", "&^")
	case 4:
		divisor := "(" + g.value(typ, depth-1) + " | 1)"
		if g.chance(6) {
			divisor = g.value(typ, depth-1)
		} else if g.chance(2) {
			divisor = typ + "(" + g.pick("2", "3", "7", "10", "64") + ")"
		}
		return operand{"(" + g.value(typ, depth-1) + g.pick(" / ", " % ") + divisor + ")", false}
	case 5, 6:
		count := g.pick("0", "1", "3", "7", "8", "31", "63", "64", "70")
		if g.chance(2) {
			count = "(" + g.value(g.pick("uint8", "uint16", "uint", "uint64"), depth-1) + " & 71)"
		} else if g.chance(4) {
			count = "(" + g.value(g.pick(integerTypes...), depth-1) + " & 15)"
		}
		return operand{"(" + g.value(typ, depth-1) + g.pick(" << ", " >> ") + count + ")", false}
	case 7:
		return operand{g.pick("-", "^", "+") + "(" + g.value(typ, depth-1) + ")", false}
	case 8, 9:
		return operand{typ + "(" + g.value(g.pick(integerTypes...), depth-1) + ")", false}
	case 10:
		return operand{typ + "(" + g.name("whole") + "(float64(" + g.value(g.pick(floatTypes...), depth-1) + ")))", false}
	case 11:
		return operand{typ + "(len(" + g.value("string", depth-1) + "))", false}
	case 12:
		return operand{g.pick("min", "max") + "(" + g.value(typ, depth-1) + ", " + g.expression(typ, depth-1).text + ")", false}
	}
	return operand{g.call(typ, depth), false}
}

func (g *generator) binary(typ string, depth int, operators ...string) operand {
	x, y := g.expression(typ, depth-1), g.expression(typ, depth-1)
	if x.constant && y.constant {
		x = operand{g.variable(typ), false}
	}
	operator := g.pick(operators...)
	if typ == "string" {
		return operand{g.name("join") + "(" + x.text + ", " + y.text + ")", false}
	}
	return operand{"(" + x.text + " " + operator + " " + y.text + ")", false}
}

// call calls a generic function or a method: they change nothing, so the order of calls does not matter.
func (g *generator) call(typ string, depth int) string {
	x, y := g.value(typ, depth-1), g.value(typ, depth-1)
	switch g.r.IntN(3) {
	case 0:
		return g.name("mix") + "(" + x + ", " + y + ")"
	case 1:
		return g.name("pick") + "(" + g.condition(depth-1) + ", " + x + ", " + y + ")"
	}
	return "(" + g.name("box") + "[" + typ + "]{" + x + ", " + y + "}).get(" + g.value("int", depth-1) + ")"
}

func (g *generator) float(typ string, depth int) operand {
	switch g.r.IntN(7) {
	case 0, 1, 2:
		return g.binary(typ, depth, "+", "-", "*", "/")
	case 3:
		return operand{typ + "(" + g.value(g.pick(integerTypes...), depth-1) + ")", false}
	case 4:
		return operand{typ + "(" + g.value(g.pick(floatTypes...), depth-1) + ")", false}
	case 5:
		name := g.pick("math.Sqrt", "math.Abs", "math.Floor", "math.Trunc", "-", "")
		return operand{typ + "(" + name + "(float64(" + g.value(typ, depth-1) + ")))", false}
	}
	return operand{g.name("pick") + "(" + g.condition(depth-1) + ", " + g.value(typ, depth-1) + ", " +
		g.expression(typ, depth-1).text + ")", false}
}

func (g *generator) complexNumber(depth int) operand {
	switch g.r.IntN(3) {
	case 0:
		return operand{"complex(" + g.value("float64", depth-1) + ", " + g.value("float64", depth-1) + ")", false}
	case 1:
		return operand{"-(" + g.value("complex128", depth-1) + ")", false}
	}
	return g.binary("complex128", depth, "+", "-", "*")
}

func (g *generator) text(depth int) operand {
	s := g.value("string", depth-1)
	switch g.r.IntN(6) {
	case 0, 1:
		return g.binary("string", depth, "+")
	case 2:
		return operand{g.name("cut") + "(" + s + ", " + g.value("int", depth-1) + ")", false}
	case 3:
		return operand{"fmt.Sprint(" + g.value(g.anyBasic(), depth-1) + ")", false}
	case 4:
		return operand{"string(rune(" + g.value("int32", depth-1) + "))", false}
	}
	return operand{g.name("pick") + "(" + g.condition(depth-1) + ", " + s + ", " + g.expression("string", depth-1).text +
		")", false}
}

func (g *generator) condition(depth int) string {
	if depth <= 0 {
		return g.variable("bool")
	}
	switch g.r.IntN(7) {
	case 0:
		return "(" + g.condition(depth-1) + g.pick(" && ", " || ", " == ", " != ") + g.condition(depth-1) + ")"
	case 1:
		return "!(" + g.condition(depth-1) + ")"
	case 2:
		typ := g.anyBasic()
		return "(any(" + g.value(typ, depth-1) + ") == any(" + g.value(g.pick(typ, g.anyBasic()), depth-1) + "))"
	}
	typ := g.ordered()
	return "(" + g.value(typ, depth-1) + g.pick(" < ", " <= ", " > ", " >= ", " == ", " != ") +
		g.expression(typ, depth-1).text + ")"
}

func (g *generator) anyBasic() string {
	if g.chance(8) {
		return g.pick("bool", "complex128")
	}
	return g.ordered()
}

func (g *generator) ordered() string {
	switch g.r.IntN(6) {
	case 0:
		return "string"
	case 1:
		return g.pick(floatTypes...)
	}
	return g.pick(integerTypes...)
}
