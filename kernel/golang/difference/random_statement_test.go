package difference

import "strings"

// loop writes a loop that terminates.
func (g *generator) loop() {
	label := ""
	if g.chance(3) {
		label = "l" + g.fresh()
		g.line("%s:", label)
	}
	i := g.fresh()
	known := len(g.scope)
	typ := "int"
	switch g.r.IntN(6) {
	case 0:
		g.line("for %s := 0; %s < %s; %s++ {", i, i, g.pick("1", "3", "5"), i)
	case 1:
		typ = g.pick("uint8", "int8", "int64", "uint")
		g.line("for %s := range %s(%s) {", i, typ, g.pick("0", "2", "4"))
	case 2:
		typ = g.pick("int8", "uint16", "int")
		g.line("for %s := %s(9); %s > 2; %s -= 3 {", i, typ, i, i)
	case 3:
		typ = "int32"
		g.line("for _, %s := range %s {", i, g.name("cut")+"("+g.value("string", 1)+", 0)")
	case 4:
		if g.has("[]int32") {
			typ = "int32"
			g.line("for _, %s := range %s {", i, g.variable("[]int32"))
			break
		}
		fallthrough
	default:
		typ = "int16"
		g.line("for %s := range func(yield func(int16) bool) {", i)
		g.line("\tfor i := range int16(4) {")
		g.line("\t\tif !yield(i * 5) {")
		g.line("\t\t\treturn")
		g.line("\t\t}")
		g.line("\t}")
		g.line("} {")
	}
	g.indent++
	g.line("_ = %s", i)
	g.line("if passes++; passes > %d {", randomPasses)
	g.line("\tpanic(\"too many passes\")")
	g.line("}")
	if label != "" || g.chance(3) {
		g.line("if %s {", g.condition(2))
		g.line("\t%s %s", g.pick("break", "continue"), label)
		g.line("}")
	}
	g.indent--
	// The body may change only a copy of the loop variable. Otherwise the loop might not terminate.
	copied := g.fresh()
	g.line("\t%s := %s", copied, i)
	g.line("\t_ = %s", copied)
	g.scope = append(g.scope, variable{copied, typ})
	g.block(3)
	g.scope = g.scope[:known]
	g.line("}")
}

// choice writes a switch.
func (g *generator) choice() {
	if g.chance(2) {
		g.typeSwitch()
		return
	}
	typ := g.pick(integerTypes...)
	g.line("switch %s & 3 {", g.value(typ, 2))
	for i, label := range []string{"case 0:", "case 1, 2:", "default:"} {
		g.line("%s", label)
		g.block(2)
		if i < 2 && g.chance(3) {
			g.line("\tfallthrough")
		}
	}
	g.line("}")
}

func (g *generator) typeSwitch() {
	x := g.fresh()
	typ, other := g.anyBasic(), g.anyBasic()
	g.line("switch %s := any(%s(%s, any(%s), any(%s))).(type) {", x, g.name("pick[any]"), g.condition(2), g.value(typ, 2),
		g.value(other, 2))
	for _, t := range []string{typ, "fmt.Stringer"} {
		g.line("case %s:", t)
		g.line("\tfmt.Fprintln(&out, %q, %s)", t, x)
		g.block(2)
	}
	g.line("default:")
	g.line("\tfmt.Fprintf(&out, \"%%T %%v\\n\", %s, %s)", x, x)
	g.line("}")
}

// closure writes a function literal, which may change the variables around it, and calls of it.
func (g *generator) closure() {
	f, typ, result := g.fresh(), g.anyBasic(), g.anyBasic()
	known := len(g.scope)
	g.line("%s := func(p %s) %s {", f, typ, result)
	p := g.fresh()
	g.line("\t%s := p", p)
	g.line("\t_ = %s", p)
	g.scope = append(g.scope, variable{p, typ})
	if g.chance(2) {
		g.line("\tdefer func() {")
		g.indent++
		g.block(2)
		g.indent--
		g.line("\t}()")
	}
	g.block(3)
	g.line("\treturn %s", g.value(result, 2))
	g.line("}")
	g.scope = g.scope[:known]
	for range 1 + g.r.IntN(2) {
		argument := g.declare(typ, g.value(typ, 2))
		v := g.fresh()
		g.line("%s := %s(%s)", v, f, argument)
		g.line("_ = %s", v)
		g.scope = append(g.scope, variable{v, result})
	}
}

// protected writes statements in a function that recovers from their panic.
func (g *generator) protected() {
	g.line("func() {")
	g.line("\tdefer func() {")
	g.line("\t\tif r := recover(); r != nil {")
	g.line("\t\t\tfmt.Fprintln(&out, \"caught\", r)")
	g.line("\t\t}")
	g.line("\t}()")
	g.block(4)
	g.line("}()")
}

// composite writes the declaration of a struct, slice, map or array, or changes of declared ones.
func (g *generator) composite() {
	rec, num := g.name("rec"), g.name("num")
	list, table, array := "[]int32", "map[string]"+num, "[4]float64"
	switch g.r.IntN(9) {
	case 0:
		g.declare(rec, rec+"{A: "+g.value("int16", 2)+", C: "+g.value("string", 1)+", D: [3]uint8{1: "+
			g.value("uint8", 1)+"}}")
	case 1:
		g.declare(list, "[]int32{"+g.value("int32", 1)+", "+g.value("int32", 1)+", 7}")
	case 2:
		g.declare(table, table+"{\"a\": "+num+"("+g.value("int32", 1)+"), "+g.value("string", 1)+": 3}")
	case 3:
		g.declare(array, array+"{"+g.value("float64", 1)+", 2: "+g.value("float64", 1)+"}")
	default:
		g.change(rec, num, list, table, array)
	}
}

func (g *generator) change(rec, num, list, table, array string) {
	if g.has(rec) {
		r := g.variable(rec)
		g.line("%s", strings.ReplaceAll(g.pick("§.add("+g.value("int16", 2)+")", "§.B += "+g.value("float64", 1),
			"§.D[uint("+g.value("int", 1)+")%3]++", "§.e = &"+rec+"{A: §.A}", "§ = "+rec+"{A: int16(§.sum()), e: §.e}",
			"if §.e != nil { § = *§.e }"), "§", r))
	}
	if g.has(list) {
		s := g.variable(list)
		g.line("%s", strings.ReplaceAll(g.pick("§ = append(§, "+g.value("int32", 2)+")", "§ = append(§, §...)[:min(len(§)+1, 9)]",
			"if len(§) > 1 { § = §[1:] }", g.changeElement(), "clear(§[:len(§)/2])",
			"copy(§, §[len(§)/2:])", "§ = §[:len(§)/2:len(§)]"), "§", s))
	}
	if g.has(table) {
		m := g.variable(table)
		g.line("%s", strings.ReplaceAll(g.pick("§["+g.value("string", 1)+"] += "+num+"("+g.value("int32", 2)+")",
			"delete(§, "+g.value("string", 1)+")", "if n, ok := §[\"a\"]; ok { §[\"b\"] = n * 2 }",
			"fmt.Fprintln(&out, len(§), §[\"a\"])"), "§", m))
	}
	if g.has(array) {
		a := g.variable(array)
		g.line("%s", strings.ReplaceAll(g.pick("§["+g.value("uint8", 1)+" & 3] = "+g.value("float64", 2), "§[0], §[3] = §[3], §[0]",
			"for i, x := range § { §[3-i] += x }", "fmt.Fprintln(&out, § == "+array+"{}, len(§))"), "§", a))
	}
}

// changeElement returns statements that change an element of a slice named §. Go does not specify whether the index or
// the value panics first, so each is computed in a statement of its own.
func (g *generator) changeElement() string {
	return "{ var at int = " + g.value("int", 1) + " & 3; var by int32 = " + g.value("int32", 1) + "; §[at] ^= by }"
}
