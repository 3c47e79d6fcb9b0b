package present

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/expect"
)

// terminal opens a new terminal: what is written to it can be read from its screen.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	open := func(name string) *os.File {
		file, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			t.Skipf("this machine gives no terminals: %v; mount /dev/pts", err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	screen = open("/dev/ptmx")
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	expect.NoError(t, err)
	return screen, open(fmt.Sprintf("/dev/pts/%d", number))
}

// TestCSVSteersNoTerminal: CSV of names that anybody logged is harmless on a terminal, and exact in a file.
func TestCSVSteersNoTerminal(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[2J\u202e\u009bb"
	grid := &results.Grid{Columns: []results.Column{{Key: "name"}}, Rows: [][]string{{evil}}}
	screen, tty := terminal(t)
	expect.NoError(t, WriteGrid(tty, results.Page{}, grid, "csv"))
	lines, shown := bufio.NewReader(screen), ""
	for range 2 {
		line, err := lines.ReadString('\n')
		expect.NoError(t, err)
		shown += line
	}
	if want := "name\r\n" + `a\x1b[2J\u202e\u009bb` + "\r\n"; shown != want {
		t.Errorf("a terminal shows %q, want %q", shown, want)
	}
	var file strings.Builder
	if err := WriteGrid(&file, results.Page{}, grid, "csv"); err != nil || file.String() != "name\n"+evil+"\n" {
		t.Errorf("a file has %q, %v", file.String(), err)
	}
}
