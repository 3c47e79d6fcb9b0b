package bridge

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/spherelab/spherelab/kernel/golang/layout"
)

// Format prepares a format and its arguments. %T gets the name of the type, %p the value itself.
func (p *Printer) Format(format string, args []any) (string, []any) {
	out := p.Args(args)
	if len(args) == 0 || countVerbs(format) == len(args) {
		return format, out
	}
	var b strings.Builder
	n, reordered := 0, false
	for i := 0; i < len(format); i++ {
		before := b.Len()
		b.WriteByte(format[i])
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.*[]", format[i]) >= 0; i++ {
			switch format[i] {
			case '*':
				n++
			case '[':
				index := 0
				for j := i + 1; j < len(format) && format[j] >= '0' && format[j] <= '9'; j++ {
					index = index*10 + int(format[j]-'0')
				}
				n, reordered = index-1, true
			}
			b.WriteByte(format[i])
		}
		if i >= len(format) {
			if reordered {
				break
			}
			text := b.String()[:before] + "%%!(NOVERB)"
			b.Reset()
			b.WriteString(text) // what follows must not be its verb
			break
		}
		verb := format[i]
		if verb == '%' {
			b.WriteByte(verb)
			continue
		}
		if n >= 0 && n < len(args) && args[n] != nil {
			if f, isOwn := p.own(args[n], verb); isOwn {
				out = set(out, args, n, f)
				b.WriteRune(ownVerbs[verb])
				n++
				continue
			}
			if verb == 'p' && &out[0] != &args[0] {
				out[n] = args[n] // the address of a copy would be another
			}
		}
		n++
		b.WriteByte(verb)
	}
	if extra := args[min(max(n, 0), len(args)):]; len(extra) > 0 && !reordered {
		b.WriteString(p.extra(extra))
		out = out[:len(args)-len(extra)]
	}
	return b.String(), out
}

// countVerbs counts the verbs of a format that needs no change if there are as many arguments, else it returns -1.
func countVerbs(format string) int {
	n := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; i++ {
			continue
		}
		if i >= len(format) || format[i] >= utf8.RuneSelf {
			return -1
		}
		switch format[i] {
		case '%':
		case '*', '[', 'T', 'p':
			return -1
		default:
			n++
		}
	}
	return n
}

// Formatted returns what fmt.Sprintf writes.
func (p *Printer) Formatted(format string, args []any) string {
	format, args = p.Format(format, args)
	return fmt.Sprintf(format, args...)
}

// extra names the arguments that no verb takes, as package fmt does.
func (p *Printer) extra(args []any) string {
	parts := make([]string, len(args))
	for i, v := range args {
		if v == nil {
			parts[i] = "<nil>"
			continue
		}
		parts[i] = p.Formatted("%T=%v", []any{v, v})
	}
	return strings.ReplaceAll("%!(EXTRA "+strings.Join(parts, ", ")+")", "%", "%%")
}

// Text returns what fmt.Sprint writes: a space stands between operands of which neither is a text.
func (p *Printer) Text(args []any) string {
	shown := p.Args(args)
	var b strings.Builder
	for i, v := range shown {
		if i > 0 && !p.isText(args[i-1]) && !p.isText(args[i]) {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

// isText reports whether package fmt takes an operand for a text.
func (p *Printer) isText(v any) bool {
	return v != nil && layout.Unwrapped(reflect.TypeOf(v)).Kind() == reflect.String
}

// own reports whether an argument answers a verb itself.
func (p *Printer) own(v any, verb byte) (any, bool) {
	if ownVerbs[verb] == 0 {
		return nil, false
	}
	if f, changed := p.arg(v); changed {
		return f, true
	}
	rt := reflect.TypeOf(v)
	typ, ok := p.Types.CellType(rt)
	if !ok || layout.Name(typ) == rt.String() {
		return nil, false
	}
	return formatted{v, p, typ}, true
}

// set changes an argument without changing the caller's.
func set(out, args []any, n int, v any) []any {
	if &out[0] == &args[0] {
		out = append([]any(nil), args...)
	}
	out[n] = v
	return out
}
