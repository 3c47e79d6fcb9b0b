package inductive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
)

// Module is what a file of torch.save has of a whole module, for example of a model of PyKEEN. Names are those of its
// state dict, with dots.
type Module struct {
	Class   string                   // "pykeen.models.unimodal.rotate RotatE"
	Classes map[string]string        // of the modules inside, by name
	Tensors map[string]sphere.Tensor // parameters and buffers of float32
	Values  map[string]any           // other attributes: bool, int64, float64, string, Opaque; nil for None
}

// Opaque is an attribute that is not a plain value: a function or an object, of which nothing is known.
type Opaque struct{}

// object is what a pickle makes of a class or by a function. Nothing of these is run: their names and arguments are
// kept.
type object struct {
	class     any // a pickleName for what is used
	arguments pickleTuple
	state     *pickleDict
}

// rebuildParameter is the function that makes a parameter of a tensor.
const rebuildParameter pickleName = "torch._utils _rebuild_parameter"

// maxNesting limits how deep modules are in each other: a pickle can put one into itself.
const maxNesting = 16

// maxModules limits how many modules a file has; a model of PyKEEN has some twenty.
const maxModules = 1000

// isTensor reports whether a call is one that makes a dictionary or a tensor of float32.
func isTensor(function any, arguments pickleTuple) bool {
	if function == rebuildTensor && len(arguments) >= 4 {
		_, ofFloats := arguments[0].(storage)
		return ofFloats
	}
	return function == orderedDict && len(arguments) == 0
}

// object runs an instruction that only modules need.
func (u *unpickler) object(op byte) error {
	switch op {
	case 0x95: // FRAME
		_, err := u.bytes(8)
		return err
	case 0x94: // MEMOIZE
		if len(u.stack) == 0 {
			return errUnderflow
		}
		u.memo[uint32(len(u.memo))] = u.stack[len(u.stack)-1]
		return nil
	case 0x8f: // EMPTY_SET
		u.push(&pickleList{})
		return nil
	case 0x90: // ADDITEMS
		values, err := u.popMarked()
		if err != nil {
			return err
		}
		if len(u.stack) == 0 {
			return errUnderflow
		}
		set, ok := u.stack[len(u.stack)-1].(*pickleList)
		if !ok {
			return errors.New("adds to what is not a set")
		}
		set.items = append(set.items, values...)
		return nil
	case 'B', 'C': // BINBYTES, SHORT_BINBYTES
		return u.skipped(op)
	case 0x93, 0x81: // STACK_GLOBAL, NEWOBJ
		second, err := u.pop()
		if err != nil {
			return err
		}
		first, err := u.pop()
		if err != nil {
			return err
		}
		if op == 0x93 {
			module, isText := first.(string)
			name, isName := second.(string)
			if !isText || !isName {
				return errors.New("names a class by what is not text")
			}
			u.push(pickleName(module + " " + name))
			return nil
		}
		arguments, _ := second.(pickleTuple)
		u.push(&object{class: first, arguments: arguments})
		return nil
	}
	return errors.New("is not one that models need: pickles are programs, and this one is not run")
}

// skipped pushes nil in place of bytes.
func (u *unpickler) skipped(op byte) error {
	size := 1
	if op == 'B' {
		size = 4
	}
	b, err := u.bytes(size)
	if err != nil {
		return err
	}
	var word [4]byte
	copy(word[:], b)
	length := binary.LittleEndian.Uint32(word[:])
	if int64(length) > int64(u.in.Len()) {
		return io.ErrUnexpectedEOF
	}
	_, err = u.bytes(int(length))
	u.push(nil)
	return err
}

// OpenModule reads a file of torch.save that has a whole module. No code of it is run and no class is looked up: only
// tensors, names of classes and plain values are taken from it. Errors are of type *sphere.CheckpointError.
func OpenModule(file string) (*Module, error) { return openFile(file, readModule) }

// openFile reads a file of torch.save.
func openFile[T any](file string, read func(r io.ReaderAt, size int64) (*T, error)) (*T, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	t, err := read(f, info.Size())
	if err != nil {
		return nil, &sphere.CheckpointError{Path: file, Err: err}
	}
	return t, nil
}

// newModuleUnpickler allows objects of any class, of which nothing is run.
func newModuleUnpickler(program []byte) *unpickler {
	return &unpickler{in: bytes.NewReader(program), memo: map[uint32]any{}, isModule: true}
}

func readModule(r io.ReaderAt, size int64) (*Module, error) {
	a, program, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	value, err := newModuleUnpickler(program).run(len(program))
	if err != nil {
		return nil, err
	}
	root, ok := value.(*object)
	if !ok || root.state == nil {
		return nil, errors.New("has no module; save the model itself, as PyKEEN's save_to_directory does")
	}
	m := &Module{Classes: map[string]string{}, Tensors: map[string]sphere.Tensor{}, Values: map[string]any{}}
	if err := m.add(a, "", root, 0); err != nil {
		return nil, err
	}
	m.Class = m.Classes[""]
	delete(m.Classes, "")
	return m, nil
}

// add takes what a module has, whose name is a prefix that ends in a dot.
func (m *Module) add(a *archive, prefix string, of *object, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("has modules in each other, more than %d deep", maxNesting)
	}
	if len(m.Classes) >= maxModules { // a pickle can put one into many others
		return fmt.Errorf("has more than %d modules", maxModules)
	}
	name, _ := of.class.(pickleName)
	if _, again := m.Classes[strings.TrimSuffix(prefix, ".")]; again {
		return fmt.Errorf("has two modules of the name %q", prefix)
	}
	m.Classes[strings.TrimSuffix(prefix, ".")] = string(name)
	if of.state == nil {
		return nil
	}
	for key, value := range of.state.items {
		switch v := value.(type) {
		case nil, bool, int64, float64, string:
			m.Values[prefix+key] = v
		case *pickleDict:
			if err := m.addAll(a, prefix, key, v, depth); err != nil {
				return err
			}
		default:
			m.Values[prefix+key] = Opaque{}
		}
	}
	return nil
}

// addAll takes the parameters, buffers or modules of a module.
func (m *Module) addAll(a *archive, prefix, kind string, all *pickleDict, depth int) error {
	for name, value := range all.items {
		if part, ok := value.(*object); ok && kind == "_modules" {
			if err := m.add(a, prefix+name+".", part, depth+1); err != nil {
				return err
			}
			continue
		}
		if kind != "_parameters" && kind != "_buffers" {
			continue
		}
		if p, ok := value.(*object); ok && p.class == rebuildParameter && len(p.arguments) > 0 {
			value = p.arguments[0]
		}
		if v, ok := value.(view); ok {
			t, err := a.tensor(v)
			if err != nil {
				return fmt.Errorf("tensor %s%s: %w", prefix, name, err)
			}
			m.Tensors[prefix+name] = sphere.Tensor(t)
		}
	}
	return nil
}
