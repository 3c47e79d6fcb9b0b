package inductive

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	sphere "github.com/spherelab/spherelab/spherE"
)

// State is what a file of torch.save has of a dictionary, for example of a state dict or of a checkpoint of LibKGE. A
// name is the keys that lead to a value, joined by dots; places of a tuple and attributes of an object count as keys.
type State struct {
	Tensors map[string]sphere.Tensor // of float32
	Values  map[string]any           // bool, int64, float64, string, Opaque; nil for None
	Texts   map[string][]string      // lists of strings
}

// maxName limits a joined name: the keys of a pickle can be long, and one dictionary can be in many others.
const maxName = 1000

// OpenState reads a file of torch.save that has a dictionary. No code of it is run and no class is looked up: only
// tensors and plain values are taken from it. Errors are of type *sphere.CheckpointError.
func OpenState(file string) (*State, error) { return openFile(file, readState) }

func readState(r io.ReaderAt, size int64) (*State, error) {
	a, program, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	value, err := newModuleUnpickler(program).run(len(program))
	if err != nil {
		return nil, err
	}
	if _, isDict := value.(*pickleDict); !isDict {
		return nil, errors.New("has no dictionary of tensors; save the state dict or the checkpoint")
	}
	w := stateWalk{archive: a, values: len(program), names: 1<<20 + 16*len(program)}
	w.state = &State{map[string]sphere.Tensor{}, map[string]any{}, map[string][]string{}}
	if err := w.add("", value, 0); err != nil {
		return nil, err
	}
	return w.state, nil
}

// stateWalk takes the values of a pickle, which can put one into many others.
type stateWalk struct {
	archive *archive
	state   *State
	values  int // that may still be taken: no pickle has more than bytes
	names   int // bytes of names that may still be made
}

func (w *stateWalk) add(name string, value any, depth int) error {
	w.values--
	w.names -= len(name)
	switch {
	case w.values < 0:
		return errors.New("has more values than bytes")
	case w.names < 0:
		return errors.New("has names that are longer together than its dictionaries allow")
	case depth > maxNesting:
		return fmt.Errorf("has dictionaries in each other, more than %d deep", maxNesting)
	case len(name) > maxName:
		return fmt.Errorf("has a name of more than %d bytes", maxName)
	}
	switch v := value.(type) {
	case nil, bool, int64, float64, string:
		w.state.Values[name] = v
	case view:
		return w.tensor(name, v)
	case *pickleDict:
		for _, key := range slices.Sorted(maps.Keys(v.items)) {
			if err := w.add(joined(name, key), v.items[key], depth+1); err != nil {
				return err
			}
		}
	case pickleTuple:
		for i, item := range v {
			if err := w.add(joined(name, strconv.Itoa(i)), item, depth+1); err != nil {
				return err
			}
		}
	case *pickleList:
		return w.texts(name, v.items)
	case *object:
		switch {
		case v.class == rebuildParameter && len(v.arguments) > 0:
			return w.add(name, v.arguments[0], depth+1)
		case v.state != nil:
			return w.add(name, v.state, depth+1)
		}
		w.state.Values[name] = Opaque{}
	default:
		w.state.Values[name] = Opaque{}
	}
	return nil
}

func joined(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

func (w *stateWalk) tensor(name string, v view) error {
	t, err := w.archive.tensor(v)
	if err != nil {
		return fmt.Errorf("tensor %s: %w", name, err)
	}
	w.state.Tensors[name] = sphere.Tensor(t)
	return nil
}

// texts takes a list if all its items are strings.
func (w *stateWalk) texts(name string, items []any) error {
	if w.values -= len(items); w.values < 0 {
		return errors.New("has more values than bytes")
	}
	list := make([]string, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			w.state.Values[name] = Opaque{}
			return nil
		}
		list[i] = text
	}
	w.state.Texts[name] = list
	return nil
}
