package simd

func avx512Many() Many {
	return Many{
		Taxicab: vectorNorm(pairs{
			pair: func(q, c, next, _ []float32) float32 { return taxicabAVX512(q, c, next) },
			push: pushSignsAVX512,
			pull: func(g, q, c, next []float32, w float32) { pushSignsAVX512(g, c, q, next, w) },
			rows: tiled(1, 4, absolute1x4AVX512, absolute1x1AVX512),
		}),
		Blocks: func(planes int) Norm {
			return vectorNorm(pairs{
				planes: planes,
				pair: func(q, c, next, length []float32) float32 {
					return blocksAVX512(q, c, next, length, len(q)/planes)
				},
				push: func(g, q, c, next []float32, w float32) { pushBlocksAVX512(g, q, c, next, len(q)/planes, w) },
				pull: func(g, q, c, next []float32, w float32) { pushBlocksAVX512(g, c, q, next, len(q)/planes, w) },
				rows: perQuery(planes, func(dst, query, rows []float32, plane int) {
					blockRowsAVX512(dst, query, rows, plane, planes)
				}),
			})
		},
		Hinged: func(planes int, share float32) Norm {
			return vectorNorm(pairs{
				pair: func(q, c, next, _ []float32) float32 {
					return hingedAVX512(q, c, next, len(q)/(planes+1), share)
				},
				push: func(g, q, c, next []float32, w float32) {
					pushHingedAVX512(g, q, c, next, len(q)/(planes+1), w, share, float32(share*w))
				},
				pull: func(g, q, c, next []float32, w float32) {
					pullHingedAVX512(g, q, c, next, len(q)/(planes+1), w, share, w)
				},
				rows: perQuery(planes+1, func(dst, query, rows []float32, plane int) {
					hingedRowsAVX512(dst, query, rows, plane, planes, share)
				}),
			})
		},
		Boxes:   avx512Boxes,
		Reflect: reflectAVX512, ReflectBoth: reflectBothAVX512,
	}
}
