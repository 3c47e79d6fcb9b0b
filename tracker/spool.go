package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/spherelab/spherelab/tracker/internal/disk"
)

// A spool file is a sequence of lines, each "CCCCCCCC RECORD\n" with the CRC-32C of RECORD in hexadecimal. The first
// line is the header. The file is locked (flock) while its run's program lives. A line that a crash tore fails its
// check and is skipped; its log call never returned. Zeros after the last line are room for the next ones.

// spool is an open, locked spool file.
type spool struct {
	path     string
	by       Claim
	mu       sync.Mutex // guards the file's end and line
	line     []byte     // the last record, whose memory is reused
	room     window     // the part of the file that the next records are copied to
	f        *os.File
	size     int64 // end of the last complete record
	safe     int64 // size at the last sync
	head     int64 // end of the header
	isClosed bool  // closed
}

var errLocked = errors.New("spool is locked")

// spoolPath returns the path of the spool of a run. Each claim has its own spool, because that of a worker that was cut
// off may still be locked.
func spoolPath(dir, run string, by Claim) string {
	if by.Job != 0 {
		run += "." + strconv.FormatInt(by.Fence, 10)
	}
	return filepath.Join(dir, "spool", run+".spool")
}

// createSpool creates a spool. The file gets its name only after it is locked and has its header.
func createSpool(dir, database, run string, by Claim) (*spool, error) {
	path := spoolPath(dir, run, by)
	empty, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return nil, err
	}
	var f *os.File
	if err = empty.Close(); err == nil {
		f, err = disk.Open(empty.Name())
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(empty.Name()))
	}
	s := &spool{path: path, by: by, f: f}
	err = disk.Lock(f)
	if err == nil {
		err = s.append(entry{Kind: "header", Version: spoolVersion, Database: database, Run: run,
			Job: by.Job, Fence: by.Fence})
	}
	if err == nil {
		s.head = s.size
		err = os.Link(f.Name(), path) // unlike rename this never replaces another program's spool
		if errors.Is(err, os.ErrExist) {
			err = errLocked
		}
	}
	if err2 := os.Remove(f.Name()); err == nil {
		err = err2
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, disk.SyncDir(filepath.Dir(path))
}

// awaitSpool opens a spool. It waits a moment if the spool is locked, because a server may be replaying what a dead run
// left.
func awaitSpool(ctx context.Context, path string) (*spool, entry, error) {
	const patience = 3 * time.Second
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		s, header, err := openSpool(path)
		if !errors.Is(err, errLocked) || ctx.Err() != nil || time.Since(began) > patience {
			return s, header, err
		}
	}
}

// errReplaced is the error if a path no longer names the file that was opened.
var errReplaced = errors.New("file was replaced")

// openSpool locks an existing spool. errLocked means that its program is alive, os.ErrNotExist that there is no spool.
func openSpool(path string) (*spool, entry, error) {
	for {
		f, err := disk.Open(path)
		if err != nil {
			return nil, entry{}, err
		}
		s := &spool{path: path, f: f}
		header, err := s.take()
		if err == nil {
			return s, header, nil
		}
		f.Close()
		if !errors.Is(err, errReplaced) {
			return nil, entry{}, err
		}
	}
}

// take locks an opened spool and returns its header.
func (s *spool) take() (header entry, err error) {
	if err := disk.Lock(s.f); err != nil {
		if errors.Is(err, disk.ErrLocked) {
			return header, errLocked
		}
		return header, err
	}
	// The file may have been removed between open and lock.
	mine, err := s.f.Stat()
	if err != nil {
		return header, err
	}
	if named, err := os.Stat(s.path); err != nil {
		return header, err
	} else if !os.SameFile(mine, named) {
		return header, errReplaced
	}
	// The next record overwrites one that a crash tore. Nothing is written here, because the disk may be full.
	if s.size, err = lastLine(s.f, mine.Size()); err != nil {
		return header, err
	}
	if header, s.head, err = s.header(); err != nil {
		return header, fmt.Errorf("%s: %w", s.path, err)
	}
	s.by = Claim{Job: header.Job, Fence: header.Fence}
	return header, nil
}

// lastLine returns where the last complete line of a file of size bytes ends.
func lastLine(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for size > 0 {
		part := buf[:min(size, int64(len(buf)))]
		if _, err := f.ReadAt(part, size-int64(len(part))); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return size - int64(len(part)) + int64(i) + 1, nil
		}
		size -= int64(len(part))
	}
	return 0, nil
}

// newerSpoolError is the error for a spool that a newer program wrote.
type newerSpoolError struct{ version int }

func (e *newerSpoolError) Error() string {
	return fmt.Sprintf("its format is %d and this program reads formats 1 to %d; start a newer version of the program",
		e.version, spoolVersion)
}

func (s *spool) header() (entry, int64, error) {
	buf := make([]byte, min(s.size, 4096))
	n, err := s.f.ReadAt(buf, 0)
	if err != nil && err != io.EOF {
		return entry{}, 0, err
	}
	i := bytes.IndexByte(buf[:n], '\n')
	if i < 0 {
		return entry{}, 0, errDamaged
	}
	e, err := decode(buf[:i])
	switch {
	case err != nil:
	case e.Kind != "header" || e.Version < 1:
		err = errDamaged
	case e.Version > spoolVersion:
		err = &newerSpoolError{e.Version}
	}
	return e, int64(i + 1), err
}

// keptLine bounds the memory that a spool keeps between records.
const keptLine = 64 << 10

// append writes one record. After an error the file is unchanged.
func (s *spool) append(e entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return os.ErrClosed
	}
	line, err := encode(s.line[:0], e)
	if err != nil {
		return err
	}
	if cap(line) <= keptLine {
		s.line = line
	}
	if !s.room.write(s.f, line, s.size) {
		if err := s.writeAt(line); err != nil {
			return err
		}
	}
	s.size += int64(len(line))
	return nil
}

// writeAt writes a record by a system call. It is used for the header, for records that are too long for the window,
// and for all records if the system has no window or the disk is full.
func (s *spool) writeAt(line []byte) error {
	n, err := s.f.WriteAt(line, s.size)
	if err != nil && n > 0 {
		s.room.drop()
		_ = s.f.Truncate(s.size) // if this fails too, the next record overwrites the torn one
	}
	return err
}

// end is where the next record will be written.
func (s *spool) end() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// lines returns complete records from offset, at most about limit bytes, and where it stopped.
func (s *spool) lines(offset, limit int64) (text []byte, next int64, err error) {
	end := s.end()
	for {
		want := min(end-offset, limit)
		if want <= 0 {
			return nil, offset, nil
		}
		buf := make([]byte, want)
		if _, err := s.f.ReadAt(buf, offset); err != nil {
			return nil, offset, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return buf[:i+1], offset + int64(i) + 1, nil
		}
		if want == end-offset {
			return nil, offset, fmt.Errorf("%s: %w", s.path, errDamaged)
		}
		limit *= 2 // one record is longer
	}
}

// sync forces the file to the disk. After that the system treats the next write to a page as its first, which makes a
// log call four times as slow. So sync prepares the pages that log calls will need until the next sync, at the current
// rate.
func (s *spool) sync() error {
	if err := s.f.Sync(); err != nil {
		return err
	}
	s.mu.Lock()
	page := int64(os.Getpagesize())
	next := s.size
	end := next + max(0, next-s.safe) + page
	s.safe = next
	if !s.isClosed {
		s.room.reach(s.f, next, end)
	}
	s.mu.Unlock()
	for at := next; at < end; at += page { // a call waits for one page at most
		s.mu.Lock()
		ready := !s.isClosed && s.room.prepare(at)
		s.mu.Unlock()
		if !ready {
			break
		}
	}
	return nil
}

// compact empties the file if everything up to flushed is in the database and nothing follows. It returns the new
// flushed offset.
func (s *spool) compact(flushed, atLeast int64) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed || flushed != s.size || s.size-s.head < atLeast {
		return flushed, nil
	}
	s.room.drop()
	if err := s.f.Truncate(s.head); err != nil {
		return flushed, err
	}
	s.size = s.head
	return s.head, nil
}

// close releases the lock and keeps the file.
func (s *spool) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return nil
	}
	s.isClosed = true
	if s.room.drop() {
		_ = s.f.Truncate(s.size) // a failure leaves an unused file at worst
	}
	return s.f.Close()
}

// remove deletes the file, then releases the lock.
func (s *spool) remove() error {
	return errors.Join(os.Remove(s.path), s.close())
}
