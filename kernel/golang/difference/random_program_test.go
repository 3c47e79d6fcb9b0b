package difference

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// generator writes a random program: a function without parameters, that gives a text, and declarations for it. All
// names begin with the program's own, with q as no word of Go, so that many fit into one package. The order of
// evaluation that Go leaves open does not show: what changes variables is a statement of its own. Loops panic after
// randomPasses passes in all, since nested ones over texts and slices that grow would take hours.
type generator struct {
	r      *rand.Rand
	prefix string
	b      strings.Builder
	indent int
	scope  []variable
	count  int
	budget int // of statements
}

// randomPasses bounds the passes of all loops of a program.
const randomPasses = 5000

// variable is one that is known.
type variable struct{ name, typ string }

// randomProgram writes the program of a seed.
func randomProgram(seed uint64) (code, function string) {
	g := &generator{r: rand.New(rand.NewPCG(seed, 19)), prefix: "q" + strconv.FormatUint(seed, 36), budget: 25}
	g.line("package main\n")
	g.line("import (")
	g.line("\t\"fmt\"\n\t\"math\"\n\t\"strings\"")
	g.line(")\n")
	g.line("%s", strings.ReplaceAll(randomHead, "§", g.prefix+"_"))
	g.line("func %s() (result string) {", g.prefix)
	g.indent++
	g.line("var out strings.Builder")
	g.line("passes := 0")
	g.line("_ = passes")
	g.line("defer func() {")
	g.line("\tif r := recover(); r != nil {")
	g.line("\t\tfmt.Fprint(&out, \"panic: \", r)")
	g.line("\t}")
	g.line("\tresult = out.String()")
	g.line("}()")
	for _, typ := range append(append([]string{"string", "bool", "complex128"}, integerTypes...), floatTypes...) {
		g.declare(typ, g.literal(typ))
	}
	for g.budget > 0 {
		g.statement()
	}
	g.show()
	g.line("return \"\"")
	g.indent--
	g.line("}")
	return g.b.String(), g.prefix
}

// randomHead is what every program declares. Its functions change nothing.
const randomHead = `type §int interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

func §mix[T §int](a, b T) T { return a*31 ^ b<<3 - (a&b)>>1 }

func §pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

func §same[T any](x T) T { return x }

type §box[T any] [2]T

func (b §box[T]) get(i int) T { return b[i&1] }

type §rec struct {
	A int16
	B float64
	C string
	D [3]uint8
	e *§rec
}

func (r §rec) sum() int       { return int(r.A) + len(r.C) + int(r.D[1]) }
func (r *§rec) add(n int16)   { r.A += n; r.D[uint16(n)%3]++ }
func (r §rec) String() string { return fmt.Sprint("rec", r.A, r.B, r.C, r.D) }

type §num int32

func (n §num) String() string { return fmt.Sprintf("n%d", int32(n)) }

func §whole(f float64) int64 {
	if f > -1e15 && f < 1e15 {
		return int64(math.Floor(f))
	}
	return 5
}

// §join bounds texts, which loops would double without an end.
func §join(a, b string) string {
	if len(a)+len(b) > 4000 {
		return a[len(a)/2:]
	}
	return a + b
}

func §cut(s string, i int) string {
	if len(s) == 0 {
		return "-"
	}
	return s[uint(i)%uint(len(s)):]
}
`

func (g *generator) name(s string) string { return g.prefix + "_" + s }

func (g *generator) line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	g.b.WriteString(strings.Repeat("\t", g.indent) + text + "\n")
}

func (g *generator) chance(n int) bool { return g.r.IntN(n) == 0 }

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) fresh() string {
	g.count++
	return "v" + strconv.Itoa(g.count)
}

func (g *generator) declare(typ, value string) string {
	name := g.fresh()
	if g.chance(3) {
		g.line("var %s %s = %s", name, typ, value)
	} else {
		g.line("%s := %s", name, value)
	}
	g.line("_ = %s", name)
	g.scope = append(g.scope, variable{name, typ})
	return name
}

// variable returns one of a type. All basic types have one.
func (g *generator) variable(typ string) string {
	var found []string
	for _, v := range g.scope {
		if v.typ == typ {
			found = append(found, v.name)
		}
	}
	return g.pick(found...)
}

// has reports whether there is a variable of a type.
func (g *generator) has(typ string) bool {
	for _, v := range g.scope {
		if v.typ == typ {
			return true
		}
	}
	return false
}

// block writes statements between braces.
func (g *generator) block(maximum int) {
	known := len(g.scope)
	g.indent++
	for range 1 + g.r.IntN(maximum) {
		g.statement()
	}
	g.indent--
	g.scope = g.scope[:known]
}

// show prints all variables.
func (g *generator) show() {
	for _, v := range g.scope {
		if strings.HasPrefix(v.typ, "func") {
			continue
		}
		g.line("fmt.Fprintf(&out, \"%s %%v %%T\\n\", %s, %s)", v.name, v.name, v.name)
	}
}

func (g *generator) statement() {
	g.budget--
	nested := g.indent < 5
	switch k := g.r.IntN(24); {
	case k < 5:
		typ := g.anyBasic()
		g.declare(typ, g.value(typ, 3))
	case k < 8:
		typ := g.anyBasic()
		g.line("%s = %s", g.variable(typ), g.value(typ, 3))
	case k < 10:
		typ := g.pick(integerTypes...)
		g.line("%s %s %s", g.variable(typ), g.pick("+=", "-=", "*=", "&=", "|=", "^=", "&^="), g.expression(typ, 2).text)
	case k == 10:
		g.line("%s%s", g.variable(g.pick(append(floatTypes, integerTypes...)...)), g.pick("++", "--"))
	case k == 11:
		typ := g.anyBasic()
		// As arguments: compiled Go assigns before it divides by zero on the right (golang/go#71054).
		same := g.name("same[" + typ + "]")
		g.line("%s, _ = %s(%s), %s(%s)", g.variable(typ), same, g.value(typ, 2), same, g.value(typ, 2))
	case k < 14 && nested:
		g.line("if %s {", g.condition(3))
		g.block(3)
		if g.chance(2) {
			g.line("} else {")
			g.block(2)
		}
		g.line("}")
	case k < 17 && nested:
		g.loop()
	case k == 17 && nested:
		g.choice()
	case k == 18 && nested:
		g.closure()
	case k == 19 && nested:
		g.protected()
	default:
		g.composite()
	}
}
