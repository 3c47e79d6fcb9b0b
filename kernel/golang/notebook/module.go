package notebook

import (
	"context"
	"fmt"
	"os"

	"github.com/spherelab/spherelab/kernel/golang/module"
)

// openModules finds the folder whose go.mod cells import from. A later change of the working folder does not matter.
func openModules(dir string, linked []string) (*module.Folder, error) {
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("folder of the notebook: %w", err)
		}
	}
	return module.New(dir, linked), nil
}

// findModule finds a package for a cell, which an interrupt ends, or for a query, which must not wait for a download.
func (e *Engine) findModule(path string) (*module.Package, error) {
	if e.current.Load() == nil {
		return e.modules.Package(module.Offline(context.Background()), path)
	}
	ctx := *e.last.Load()
	if ctx.Err() != nil { // the type checker asks for the next import, too
		return nil, context.Cause(ctx)
	}
	return e.modules.Package(ctx, path)
}

// Modules returns go.mod and go.sum, by name, of the modules that cells import; none if they import none.
func (e *Engine) Modules() map[string][]byte { return e.modules.Files() }

// Get implements command.Session.
func (r *running) Get(modules []string) ([]string, error) {
	if len(modules) == 0 {
		return r.modules.Required()
	}
	return r.modules.Get(r.ctx, modules)
}
