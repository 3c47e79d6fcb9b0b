package layout

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestCheck: the picture of memory is right, and each wrong one is found and named.
func TestCheck(t *testing.T) {
	t.Parallel()
	expect.NoError(t, Check())
	for want, change := range map[string]func(l *picture){
		"interfaces are not laid out in memory": func(l *picture) {
			l.any = func(v any) Eface { e := ours.any(v); return Eface{Type: e.Data, Data: e.Type} }
		},
		"function values are not laid out in memory": func(l *picture) {
			l.function = func(f func() int) Func { return Func{Captured: unsafe.Pointer(&f)} }
		},
		"interfaces that hold one pointer are not laid out in memory": func(l *picture) {
			l.direct = func(reflect.Type) bool { return false }
		},
	} {
		l := ours
		change(&l)
		err := l.check()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "that go.mod names") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	wrong := ours
	wrong.error = func(v error) Iface { i := ours.error(v); return Iface{Table: &Table{}, Data: i.Data} }
	if wrong.check() == nil {
		t.Error("a table of another layout is not found")
	}
}
