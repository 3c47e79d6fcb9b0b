package inductive

import (
	"errors"
	"fmt"
	"strings"
)

// global pushes one of the names that may be called.
func (u *unpickler) global() error {
	var lines [2]string
	for i := range lines {
		var line strings.Builder
		for {
			b, err := u.in.ReadByte()
			if err != nil {
				return err
			}
			if b == '\n' {
				break
			}
			line.WriteByte(b)
		}
		lines[i] = line.String()
	}
	name := pickleName(lines[0] + " " + lines[1])
	switch name {
	case orderedDict, rebuildTensor, floatStorage:
		u.push(name)
		return nil
	}
	if u.isModule {
		u.push(name)
		return nil
	}
	const longest = 80
	return fmt.Errorf("names %.*q: only %q, %q and %q are allowed, which make dictionaries of float32 tensors", longest,
		string(name), string(orderedDict), string(rebuildTensor), string(floatStorage))
}

// persistent makes a storage of ("storage", FloatStorage, key, device, number of floats).
func (u *unpickler) persistent() error {
	v, err := u.pop()
	if err != nil {
		return err
	}
	t, ok := v.(pickleTuple)
	if ok && u.isModule && len(t) == 5 && t[1] != floatStorage {
		u.push(&object{}) // of integers, such as a counter
		return nil
	}
	if !ok || len(t) != 5 || t[0] != "storage" || t[1] != floatStorage {
		return errors.New("refers to what is not a storage of float32")
	}
	key, isText := t[2].(string)
	floats, isNumber := t[4].(int64)
	if !isText || !isNumber || floats < 0 {
		return errors.New("refers to a storage without a name and a size")
	}
	u.push(storage{key, floats})
	return nil
}

// call makes an empty dictionary, or a tensor of (storage, offset, shape, stride, ...).
func (u *unpickler) call() error {
	arguments, err := u.pop()
	if err != nil {
		return err
	}
	function, err := u.pop()
	if err != nil {
		return err
	}
	t, ok := arguments.(pickleTuple)
	switch {
	case ok && function == orderedDict && len(t) == 0:
		u.push(&pickleDict{map[string]any{}})
		return nil
	case ok && u.isModule && !isTensor(function, t):
		u.push(&object{class: function, arguments: t})
		return nil
	case ok && function == rebuildTensor && len(t) >= 4:
		v, err := tensorView(t)
		u.push(v)
		return err
	}
	return errors.New("calls what is not allowed, or with other arguments")
}

func tensorView(t pickleTuple) (view, error) {
	s, isStorage := t[0].(storage)
	offset, isNumber := t[1].(int64)
	shape, isShape := integers(t[2])
	stride, isStride := integers(t[3])
	if !isStorage || !isNumber || !isShape || !isStride || len(shape) != len(stride) || len(shape) > maxDimensions {
		return view{}, errors.New("makes a tensor without a storage, an offset, a shape and strides")
	}
	floats := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] < 1 || shape[i] > s.floats/floats {
			return view{}, fmt.Errorf("makes a tensor of shape %v from a storage of %d floats", shape, s.floats)
		}
		if stride[i] != floats && shape[i] > 1 {
			return view{}, fmt.Errorf("makes a tensor of shape %v with strides %v, whose rows do not follow each other",
				shape, stride)
		}
		floats *= shape[i]
	}
	if offset < 0 || offset > s.floats-floats {
		return view{}, fmt.Errorf("makes a tensor of %d floats from place %d of a storage of %d", floats, offset, s.floats)
	}
	return view{s, offset, shape, stride}, nil
}

func integers(v any) ([]int64, bool) {
	t, ok := v.(pickleTuple)
	if !ok {
		return nil, false
	}
	list := make([]int64, len(t))
	for i, x := range t {
		if list[i], ok = x.(int64); !ok {
			return nil, false
		}
	}
	return list, true
}

// build drops the attributes of a dictionary: versions of modules. An object keeps its own.
func (u *unpickler) build() error {
	state, err := u.pop()
	if err != nil {
		return err
	}
	if len(u.stack) == 0 {
		return errUnderflow
	}
	switch of := u.stack[len(u.stack)-1].(type) {
	case *pickleDict:
		return nil
	case *object:
		of.state, _ = state.(*pickleDict)
		return nil
	}
	return errors.New("changes what is not a dictionary")
}
