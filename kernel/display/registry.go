package display

import "sync"

// Registry knows how to show types that say nothing of it themselves, for example those of packages that must not know of notebooks. It is safe for
// concurrent use; the zero value is empty.
type Registry struct {
	mu      sync.RWMutex
	renders []func(v interface{}) (Data, bool)
}

// Register adds a function that shows some types and answers false for the rest. Functions registered later are asked first.
func (r *Registry) Register(render func(v interface{}) (Data, bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renders = append(r.renders, render)
}

// Render shows v by the registered functions, then by what its type says. False: nothing knows v, it is to be shown as text.
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
