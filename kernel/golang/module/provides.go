package module

// Provides reports whether a module of the go.mod that governs the folder can have a package.
func (f *Folder) Provides(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.require()
	return err == nil && r != nil && r.provides(path)
}
