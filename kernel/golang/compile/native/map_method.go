package native

import (
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/spherelab/spherelab/kernel/golang/compile/guard"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// mapMethods are the methods by which compiled code uses maps for a moment (http.Header, url.Values and their kind),
// and whether they change them.
var mapMethods = map[string]bool{
	"Add": true, "Del": true, "Set": true, "Clone": false, "Encode": false, "Get": false, "Has": false, "Values": false,
}

// mapMethod keeps a method of a compiled map apart from other uses of the map in slot m.
func (s *Session) mapMethod(f *ssa.Function, m []uintptr, step run.Instr) run.Instr {
	recv := f.Signature.Recv()
	if recv == nil || s.Types.Of(recv.Type()).Kind() != reflect.Map {
		return step
	}
	changes, known := mapMethods[f.Name()]
	if !known {
		return step
	}
	rt := s.Types.Of(recv.Type())
	return func(frame unsafe.Pointer) {
		if s.Crowd.Alone() {
			step(frame)
			return
		}
		v := reflect.NewAt(rt, unsafe.Add(frame, m[0])).Elem()
		if changes {
			s.Change(v, func() { step(frame) })
		} else {
			guard.Read(s.Crowd, v.UnsafePointer(), guard.ReadsWritten, func() { step(frame) })
		}
	}
}
