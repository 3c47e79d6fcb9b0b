package simd

func avx2Many() Many {
	return Many{
		Taxicab: vectorNorm(pairs{
			pair: func(q, c, next, _ []float32) float32 { return taxicabAVX2(q, c, next) },
			push: pushSignsAVX2,
			pull: func(g, q, c, next []float32, w float32) { pushSignsAVX2(g, c, q, next, w) },
			rows: tiled(1, 4, absolute1x4AVX2, absolute1x1AVX2),
		}),
		Blocks: func(planes int) Norm {
			return vectorNorm(pairs{
				planes: planes,
				pair: func(q, c, next, length []float32) float32 {
					return blocksAVX2(q, c, next, length, len(q)/planes)
				},
				push: func(g, q, c, next []float32, w float32) { pushBlocksAVX2(g, q, c, next, len(q)/planes, w) },
				pull: func(g, q, c, next []float32, w float32) { pushBlocksAVX2(g, c, q, next, len(q)/planes, w) },
				rows: perQuery(planes, func(dst, query, rows []float32, plane int) {
					blockRowsAVX2(dst, query, rows, plane, planes)
				}),
			})
		},
		Hinged: func(planes int, share float32) Norm {
			return vectorNorm(pairs{
				pair: func(q, c, next, _ []float32) float32 {
					return hingedAVX2(q, c, next, len(q)/(planes+1), share)
				},
				push: func(g, q, c, next []float32, w float32) {
					pushHingedAVX2(g, q, c, next, len(q)/(planes+1), w, share, float32(share*w))
				},
				pull: func(g, q, c, next []float32, w float32) {
					pullHingedAVX2(g, q, c, next, len(q)/(planes+1), w, share, w)
				},
				rows: perQuery(planes+1, func(dst, query, rows []float32, plane int) {
					hingedRowsAVX2(dst, query, rows, plane, planes, share)
				}),
			})
		},
		Boxes:   avx2Boxes,
		Reflect: reflectAVX2, ReflectBoth: reflectBothAVX2,
	}
}
