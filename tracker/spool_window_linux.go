package tracker

import (
	"errors"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// windowBytes is how much of a spool file is allocated and mapped at a time.
const windowBytes = 256 << 10

// window is a part of a spool file that is mapped into memory. A record that is copied there is in the system's cache
// of the file, as after a write call, so it survives the program. The copy needs no system call, whose code and tables
// a training step has evicted from the caches.
type window struct {
	start         int64  // in the file, a multiple of the page size
	mem           []byte // nil without a window
	isUnsupported bool   // the file system does not support windows
}

// write copies a line to an offset of the file. It reports false if the line has to be written by a call.
func (w *window) write(f *os.File, line []byte, at int64) bool {
	if at+int64(len(line)) > w.start+int64(len(w.mem)) || at < w.start {
		if at == 0 || len(line) > windowBytes/2 || !w.move(f, at) {
			return false
		}
	}
	if !copyMapped(w.mem[at-w.start:], line) {
		w.drop()
		w.isUnsupported = true
		return false
	}
	return true
}

// move maps the part of the file that begins with the page of an offset. Its blocks are allocated first, so that a full
// disk is an error of a call and not a memory fault.
func (w *window) move(f *os.File, at int64) bool {
	w.drop()
	if w.isUnsupported {
		return false
	}
	start := at - at%int64(os.Getpagesize())
	err := unix.Fallocate(int(f.Fd()), 0, start, windowBytes)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EINTR) {
		return false // there may be room for the next record
	}
	if err == nil {
		w.mem, err = unix.Mmap(int(f.Fd()), start, windowBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	w.start, w.isUnsupported = start, err != nil
	return err == nil
}

// reach moves a window that ends before some offset, if the next record has left its first half.
func (w *window) reach(f *os.File, next, end int64) {
	if w.mem != nil && end > w.start+int64(len(w.mem)) && next > w.start+windowBytes/2 {
		w.move(f, next)
	}
}

// prepare makes the page of an offset ready for writing. It returns false if it cannot, as before Linux 5.14. Then the
// first copy does it.
func (w *window) prepare(at int64) bool {
	page := int64(os.Getpagesize())
	from := at - at%page - w.start
	if from < 0 || from+page > int64(len(w.mem)) {
		return false
	}
	return unix.Madvise(w.mem[from:from+page], unix.MADV_POPULATE_WRITE) == nil
}

// drop ends the mapping. It reports whether there was one.
func (w *window) drop() bool {
	if w.mem == nil {
		return false
	}
	_ = unix.Munmap(w.mem) // fails for no mapping of package unix
	w.mem = nil
	return true
}

// copyMapped returns false if the bytes cannot be written: the file was cut short, or its disk is gone or full despite
// the allocation. The newline is copied last, so a program that is killed during the copy leaves no line.
func copyMapped(to, line []byte) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, ofMemory := fault.(interface{ Addr() uintptr }); !ofMemory {
				panic(fault)
			}
			ok = false
		}
	}()
	end := len(line) - 1
	copy(to, line[:end])
	to[end] = line[end]
	return true
}
