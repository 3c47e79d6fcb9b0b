package table

import (
	"testing"
	"unsafe"
)

func TestMake(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 16, 1000, 1 << 20, 3<<20 + 17} {
		for place := range 4 {
			rows := Make(n, place)
			if len(rows) != n || cap(rows) != n {
				t.Fatalf("Make(%d, %d) has length %d, capacity %d", n, place, len(rows), cap(rows))
			}
			if n == 0 {
				continue
			}
			align := uintptr(64)
			if n >= 1<<20 {
				align = 2 << 20
			}
			if at := uintptr(unsafe.Pointer(&rows[0])); at%align != uintptr(place*(4096+64))%align {
				t.Errorf("Make(%d, %d) starts at %x, with %d bytes as the unit", n, place, at, align)
			}
			for i := range rows {
				if rows[i] != 0 {
					t.Fatalf("Make(%d, %d)[%d] is %g", n, place, i, rows[i])
				}
				rows[i] = 1
			}
		}
	}
}
