package cell

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"runtime"
)

// tooLarge finds what has no layout: arrays and structs, which the compiler refuses too, and slices of a constant
// length, which go/ssa makes as arrays.
func tooLarge(c *checked) (pos token.Pos, message string) {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	const maxBytes = 1 << 47
	ast.Inspect(c.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			array, ok := c.info.Types[n].Type.(*types.Array)
			if ok && bytesOf(sizes, array.Elem()) > maxBytes/max(1, array.Len()) {
				pos, message = n.Pos(), "type "+types.TypeString(array, short)+" larger than address space"
			}
		case *ast.StructType:
			typ := c.info.Types[n].Type
			left := int64(maxBytes)
			for f := range typ.Underlying().(*types.Struct).Fields() {
				bytes := bytesOf(sizes, f.Type())
				if bytes < 0 || bytes > maxBytes { // reported for the field's own type
					return true
				}
				left -= bytes
			}
			if left < 0 {
				pos, message = n.Pos(), "type "+types.TypeString(typ, short)+" larger than address space"
			}
		case *ast.CallExpr:
			id, ok := ast.Unparen(n.Fun).(*ast.Ident)
			if !ok || c.info.Uses[id] != types.Universe.Lookup("make") || len(n.Args) < 2 {
				break
			}
			made := c.info.Types[n.Args[0]].Type
			slice, ok := made.Underlying().(*types.Slice)
			for _, arg := range n.Args[1:] {
				length := c.info.Types[arg].Value
				if !ok || length == nil {
					continue
				}
				n64, exact := constant.Int64Val(constant.ToInt(length))
				if exact && bytesOf(sizes, slice.Elem()) > math.MaxInt64/max(1, n64) {
					pos, message = n.Pos(), "make: length of "+types.TypeString(made, short)+" out of range"
				}
			}
		}
		return !pos.IsValid()
	})
	return pos, message
}

// bytesOf returns how many bytes a value takes. For type parameters this is not known yet.
func bytesOf(sizes types.Sizes, typ types.Type) (bytes int64) {
	defer func() {
		if recover() != nil {
			bytes = 0
		}
	}()
	return sizes.Sizeof(typ)
}
