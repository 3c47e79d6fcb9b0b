package table

import (
	"testing"
	"unsafe"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 16, 1000, 1 << 20, 3<<20 + 17} {
		rows := Make(n)
		if len(rows) != n || cap(rows) != n {
			t.Fatalf("Make(%d) has length %d, capacity %d", n, len(rows), cap(rows))
		}
		if n == 0 {
			continue
		}
		align := uintptr(64)
		if n >= 1<<20 {
			align = 2 << 20
		}
		if at := uintptr(unsafe.Pointer(&rows[0])); at%align != 0 {
			t.Errorf("Make(%d) starts at %x, not on %d bytes", n, at, align)
		}
		for i := range rows {
			if rows[i] != 0 {
				t.Fatalf("Make(%d)[%d] is %g", n, i, rows[i])
			}
			rows[i] = 1
		}
	}
}
