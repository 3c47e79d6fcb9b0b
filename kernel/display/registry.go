package display

import "sync"

// Registry shows types that implement none of the interfaces, for example those of packages that must not depend on
// notebooks. It is safe for concurrent use; the zero value is empty.
type Registry struct {
	mu      sync.RWMutex
	renders []func(v interface{}) (Data, bool)
}

// Register adds a function that shows some types and returns false for the rest. Functions registered later are called
// first.
func (r *Registry) Register(render func(v interface{}) (Data, bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renders = append(r.renders, render)
}

// Render shows v by the registered functions, otherwise by the interfaces that v implements. It returns false if v must
// be shown as text.
func (r *Registry) Render(v interface{}) (Data, bool) {
	r.mu.RLock()
	renders := r.renders
	r.mu.RUnlock()
	for i := len(renders) - 1; i >= 0; i-- {
		if d, ok := renders[i](v); ok {
			return d, true
		}
	}
	return Render(v)
}
