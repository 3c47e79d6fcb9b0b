package dynamic

import (
	"reflect"
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"github.com/spherelab/spherelab/kernel/golang/bridge"
)

// sameProxies has the generated proxies that something still knows. They are pointers, and compiled code and maps
// compare them: so equal values have one proxy for an interface.
type sameProxies struct{ known sync.Map } // proxyKey -> weak.Pointer[byte]

// proxyKey is a value with the type of its proxy. It does not keep what a pointer leads to.
type proxyKey struct {
	rt    reflect.Type
	value any // for a pointer a weakValue
}

type weakValue struct {
	rt reflect.Type
	p  weak.Pointer[byte]
}

// of returns the proxy of a value.
func (s *sameProxies) of(rt reflect.Type, box bridge.Box) any {
	key := proxyKey{rt, box.V}
	switch v := reflect.ValueOf(box.V); {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		key.value = weakValue{v.Type(), weak.Make((*byte)(v.UnsafePointer()))}
	case !v.Comparable():
		return bridge.Generated(rt, box)
	}
	for {
		old, ok := s.known.Load(key)
		if ok {
			if p := old.(weak.Pointer[byte]).Value(); p != nil {
				return reflect.NewAt(rt, unsafe.Pointer(p)).Interface()
			}
		}
		proxy := bridge.Generated(rt, box)
		p := (*byte)(reflect.ValueOf(proxy).UnsafePointer())
		made := weak.Make(p)
		if ok && !s.known.CompareAndSwap(key, old, made) {
			continue
		}
		if !ok {
			if _, loaded := s.known.LoadOrStore(key, made); loaded {
				continue
			}
		}
		runtime.AddCleanup(p, func(key proxyKey) { s.known.CompareAndDelete(key, made) }, key)
		return proxy
	}
}
