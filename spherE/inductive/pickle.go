package inductive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A pickle is a program for a stack machine that can call any function of Python. This file runs the few instructions
// that a dictionary of tensors is made of. They build plain values; three names may be called, see global.

// Values of a pickle are nil, bool, int64, float64, string, and these, and in a module those of module.go.
type (
	pickleTuple []any
	pickleList  struct{ items []any }
	pickleDict  struct{ items map[string]any } // other keys than strings are dropped
	pickleName  string                         // "module name"
	pickleMark  struct{}
)

// storage is a file of floats in the archive.
type storage struct {
	key    string
	floats int64
}

// view is a tensor: a part of a storage.
type view struct {
	storage storage
	offset  int64
	shape   []int64
	stride  []int64
}

// The names that a pickle may contain.
const (
	orderedDict   pickleName = "collections OrderedDict"
	rebuildTensor pickleName = "torch._utils _rebuild_tensor_v2"
	floatStorage  pickleName = "torch FloatStorage"
)

// maxDimensions limits the shape of a tensor.
const maxDimensions = 8

var errUnderflow = errors.New("takes more values than there are")

// unpickler runs one pickle.
type unpickler struct {
	in       *bytes.Reader
	stack    []any
	memo     map[uint32]any
	isModule bool // objects of any class are allowed, see module.go
}

// unpickle returns the value of a pickle. Instructions and names that tensors do not need are errors.
func unpickle(data []byte) (any, error) {
	return (&unpickler{in: bytes.NewReader(data), memo: map[uint32]any{}}).run(len(data))
}

// run runs all instructions, of a number of bytes.
func (u *unpickler) run(size int) (any, error) {
	for {
		at := size - u.in.Len()
		op, err := u.in.ReadByte()
		if err != nil {
			return nil, errors.New("the pickle is cut short")
		}
		if op == '.' {
			if len(u.stack) != 1 {
				return nil, fmt.Errorf("the pickle ends with %d values instead of one", len(u.stack))
			}
			return u.stack[0], nil
		}
		if err := u.do(op); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("is cut short")
			}
			return nil, fmt.Errorf("the pickle's instruction 0x%02x at byte %d %w", op, at, err)
		}
	}
}

// do runs one instruction.
func (u *unpickler) do(op byte) error {
	switch op {
	case 0x80: // PROTO
		version, err := u.in.ReadByte()
		if err == nil && version > 5 {
			return fmt.Errorf("is of protocol %d, which is unknown", version)
		}
		return err
	case 'N':
		u.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		u.push(op == 0x88)
	case 'K', 'M', 'J', 0x8a, 'G': // BININT1, BININT2, BININT, LONG1, BINFLOAT
		return u.number(op)
	case 'X', 0x8c: // BINUNICODE, SHORT_BINUNICODE
		return u.text(op)
	case 'q', 'r', 'h', 'j': // BINPUT, LONG_BINPUT, BINGET, LONG_BINGET
		return u.remember(op)
	case '(':
		u.push(pickleMark{})
	case ')':
		u.push(pickleTuple{})
	case ']':
		u.push(&pickleList{})
	case '}':
		u.push(&pickleDict{map[string]any{}})
	case 't', 0x85, 0x86, 0x87: // TUPLE, TUPLE1, TUPLE2, TUPLE3
		return u.tuple(op)
	case 'a', 'e', 's', 'u': // APPEND, APPENDS, SETITEM, SETITEMS
		return u.fill(op)
	case 'c': // GLOBAL
		return u.global()
	case 'Q': // BINPERSID
		return u.persistent()
	case 'R': // REDUCE
		return u.call()
	case 'b': // BUILD
		return u.build()
	default:
		if u.isModule {
			return u.object(op)
		}
		return errors.New("is not one that tensors need: pickles are programs, and this one is not run")
	}
	return nil
}

func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

func (u *unpickler) pop() (any, error) {
	if len(u.stack) == 0 {
		return nil, errUnderflow
	}
	v := u.stack[len(u.stack)-1]
	u.stack = u.stack[:len(u.stack)-1]
	return v, nil
}

// popMarked takes the values above the last mark.
func (u *unpickler) popMarked() ([]any, error) {
	for i := len(u.stack) - 1; i >= 0; i-- {
		if _, ok := u.stack[i].(pickleMark); ok {
			values := append([]any(nil), u.stack[i+1:]...)
			u.stack = u.stack[:i]
			return values, nil
		}
	}
	return nil, errUnderflow
}

func (u *unpickler) bytes(n int) ([]byte, error) {
	if n > u.in.Len() {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	_, err := io.ReadFull(u.in, b)
	return b, err
}

func (u *unpickler) number(op byte) error {
	size := map[byte]int{'K': 1, 'M': 2, 'J': 4, 'G': 8, 0x8a: 1}[op]
	b, err := u.bytes(size)
	if err != nil {
		return err
	}
	switch op {
	case 'G':
		u.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
		return nil
	case 'J':
		u.push(int64(int32(binary.LittleEndian.Uint32(b))))
		return nil
	case 0x8a:
		if b[0] > 8 {
			return fmt.Errorf("is an integer of %d bytes", b[0])
		}
		if b, err = u.bytes(int(b[0])); err != nil {
			return err
		}
	}
	var word [8]byte
	copy(word[:], b)
	x := int64(binary.LittleEndian.Uint64(word[:]))
	if op == 0x8a && len(b) > 0 && len(b) < 8 && b[len(b)-1] >= 0x80 {
		x -= 1 << (8 * len(b))
	}
	u.push(x)
	return nil
}

func (u *unpickler) text(op byte) error {
	var length uint32
	if op == 'X' {
		b, err := u.bytes(4)
		if err != nil {
			return err
		}
		length = binary.LittleEndian.Uint32(b)
	} else {
		b, err := u.in.ReadByte()
		if err != nil {
			return err
		}
		length = uint32(b)
	}
	if int64(length) > int64(u.in.Len()) {
		return fmt.Errorf("is a text of %d bytes, and %d are left", length, u.in.Len())
	}
	b, err := u.bytes(int(length))
	u.push(string(b))
	return err
}

func (u *unpickler) remember(op byte) error {
	size := 1
	if op == 'r' || op == 'j' {
		size = 4
	}
	b, err := u.bytes(size)
	if err != nil {
		return err
	}
	var word [4]byte
	copy(word[:], b)
	key := binary.LittleEndian.Uint32(word[:])
	if op == 'q' || op == 'r' {
		if len(u.stack) == 0 {
			return errUnderflow
		}
		u.memo[key] = u.stack[len(u.stack)-1]
		return nil
	}
	v, ok := u.memo[key]
	if !ok {
		return fmt.Errorf("reads place %d, where nothing is", key)
	}
	u.push(v)
	return nil
}

func (u *unpickler) tuple(op byte) error {
	if op == 't' {
		values, err := u.popMarked()
		u.push(pickleTuple(values))
		return err
	}
	n := int(op - 0x84)
	if len(u.stack) < n {
		return errUnderflow
	}
	values := append(pickleTuple(nil), u.stack[len(u.stack)-n:]...)
	u.stack = append(u.stack[:len(u.stack)-n], values)
	return nil
}

// fill adds values to a list or a dictionary.
func (u *unpickler) fill(op byte) error {
	var values []any
	var err error
	switch op {
	case 'a', 's':
		n := 1
		if op == 's' {
			n = 2
		}
		if len(u.stack) < n {
			return errUnderflow
		}
		values = append(values, u.stack[len(u.stack)-n:]...)
		u.stack = u.stack[:len(u.stack)-n]
	default:
		if values, err = u.popMarked(); err != nil {
			return err
		}
	}
	if len(u.stack) == 0 {
		return errUnderflow
	}
	switch to := u.stack[len(u.stack)-1].(type) {
	case *pickleList:
		if op == 'a' || op == 'e' {
			to.items = append(to.items, values...)
			return nil
		}
	case *pickleDict:
		if (op == 's' || op == 'u') && len(values)%2 == 0 {
			for i := 0; i < len(values); i += 2 {
				if key, ok := values[i].(string); ok {
					to.items[key] = values[i+1]
				}
			}
			return nil
		}
	}
	return errors.New("adds to what is neither a list nor a dictionary")
}
