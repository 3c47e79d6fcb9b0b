package main

import (
	"bytes"
	"fmt"
	"go/types"
	"strings"
)

// A proxy is a struct with one function for each method of an interface. With it the interpreter gives a type of a cell
// the methods of a compiled interface.

// proxies writes the table of proxies and their types.
func (w *writer) proxies() ([]byte, *bytes.Buffer) {
	var entries []string
	declarations := new(bytes.Buffer)
	w.each(func(name string, object types.Object) {
		t := w.typeOf(object)
		if t == nil || object.(*types.TypeName).IsAlias() {
			return
		}
		i, ok := t.Underlying().(*types.Interface)
		if !ok || i.NumMethods() == 0 {
			return
		}
		for m := range i.NumMethods() {
			if method := i.Method(m); !method.Exported() || !speakable(method.Type(), w.path) {
				return // no other package can implement it
			}
		}
		proxy := "proxy_" + variableName(w.path) + "_" + name
		entries = append(entries, fmt.Sprintf("%q: reflect.TypeFor[%s](),", name, proxy))
		w.writeProxy(declarations, proxy, name, i)
	})
	return table("Proxies", "reflect.Type", entries), declarations
}

func (w *writer) writeProxy(out *bytes.Buffer, proxy, name string, i *types.Interface) {
	fmt.Fprintf(out, "\n// %s lets types of cells be %s.%s.\ntype %s struct {\n\tObject any\n", proxy, w.types.Name(),
		name, proxy)
	for m := range i.NumMethods() {
		method := i.Method(m)
		parameters, results, _ := w.signature(method.Signature())
		if parameters != "" {
			parameters = ", " + parameters
		}
		fmt.Fprintf(out, "\t%s_ func(object any%s) %s\n", method.Name(), parameters, results)
	}
	fmt.Fprint(out, "}\n")
	for m := range i.NumMethods() {
		method := i.Method(m)
		parameters, results, arguments := w.signature(method.Signature())
		if arguments != "" {
			arguments = ", " + arguments
		}
		call := fmt.Sprintf("p.%s_(p.Object%s)", method.Name(), arguments)
		if results != "" {
			call = "return " + call
		}
		fmt.Fprintf(out, "\nfunc (p *%s) %s(%s) %s { %s }\n", proxy, method.Name(), parameters, results, call)
	}
}

// signature returns parameters with new names, results without names, and the arguments that pass the parameters on.
func (w *writer) signature(s *types.Signature) (parameters, results, arguments string) {
	var in, pass, out []string
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		name := fmt.Sprintf("a%d", i)
		if s.Variadic() && i == s.Params().Len()-1 {
			in = append(in, name+" ..."+types.TypeString(t.(*types.Slice).Elem(), w.qualify))
			pass = append(pass, name+"...")
			continue
		}
		in = append(in, name+" "+types.TypeString(t, w.qualify))
		pass = append(pass, name)
	}
	for i := range s.Results().Len() {
		out = append(out, types.TypeString(s.Results().At(i).Type(), w.qualify))
	}
	results = strings.Join(out, ", ")
	if len(out) > 1 {
		results = "(" + results + ")"
	}
	return strings.Join(in, ", "), results, strings.Join(pass, ", ")
}

// speakable reports whether other packages can name a type: it contains nothing unexported and nothing internal.
func speakable(t types.Type, from string) bool {
	ok := true
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch t := t.(type) {
		case *types.Alias:
			visitName(t.Obj(), from, &ok)
		case *types.Named:
			visitName(t.Obj(), from, &ok)
			for i := range t.TypeArgs().Len() {
				visit(t.TypeArgs().At(i))
			}
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Signature:
			for i := range t.Params().Len() {
				visit(t.Params().At(i).Type())
			}
			for i := range t.Results().Len() {
				visit(t.Results().At(i).Type())
			}
		}
	}
	visit(t)
	return ok
}

func visitName(name *types.TypeName, from string, ok *bool) {
	if name.Pkg() == nil {
		return // any, error
	}
	path := name.Pkg().Path()
	hidden := strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, "vendor/")
	if !name.Exported() || path != from && hidden {
		*ok = false
	}
}
