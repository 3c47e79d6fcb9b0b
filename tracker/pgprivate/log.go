//go:build unix

package pgprivate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/spherelab/spherelab/internal/hint"
)

// logPath returns the path of the log of a cluster's server and its supervisor.
func logPath(dir string) string { return filepath.Join(dir, "postgres.log") }

// logRead is how much of the log's end is read, in bytes.
const logRead = 64 << 10

// logSince returns what the server wrote into its log after byte since, without the supervisor's own lines.
func logSince(dir string, since int64) string {
	f, err := os.Open(logPath(dir))
	if err != nil {
		return err.Error()
	}
	defer f.Close() // opened for reading: an error loses nothing
	if info, err := f.Stat(); err == nil {
		since = max(since, info.Size()-logRead)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, since, 2*logRead))
	if err != nil {
		return err.Error()
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "] supervisor: ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// logTail returns why a start of the server failed: the last FATAL or PANIC message after byte since, with its DETAIL
// and HINT, otherwise the last lines.
func logTail(dir string, since int64) string {
	text := logSince(dir, since)
	start := max(strings.LastIndex(text, "FATAL:"), strings.LastIndex(text, "PANIC:"))
	if start < 0 {
		if text = lastLines(text, 3); text == "" {
			return "its log is empty"
		}
		return text
	}
	var message []string
	for i, line := range strings.Split(text[start:], "\n") {
		at := 0
		if i > 0 {
			if at = max(strings.Index(line, "DETAIL:"), strings.Index(line, "HINT:")); at < 0 {
				break
			}
		}
		message = append(message, line[at:])
	}
	return oneLine(strings.Join(message, " "))
}

// diskReserve is the space in bytes that a server needs to start: it writes its write-ahead log in files of this size.
const diskReserve = 16 << 20

// withRemedy adds what to do to an error that is due to a full disk. On a full disk even the server's log may be empty,
// so an error that does not name the disk is judged by the free space.
func withRemedy(dir string, err error) error {
	if err == nil {
		return nil
	}
	text := strings.ToLower(err.Error())
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		strings.Contains(text, "no space left on device") || strings.Contains(text, "disk quota exceeded")
	if !full && strings.Contains(text, errEnded.Error()) {
		var disk unix.Statfs_t
		full = unix.Statfs(dir, &disk) == nil && float64(disk.Bavail)*float64(disk.Bsize) < diskReserve
	}
	if !full {
		return err
	}
	return hint.With(fmt.Errorf("%w; the disk is full: free space on %s", err, dir), hint.Hint{Action: hint.NameHome})
}
