package simd

// plainNetwork returns the plain Go loops, the specification of all others.
func plainNetwork() Network {
	return Network{Messages: messages, Linear: multiply, Normalize: normalize, Rectified: rectified}
}

func messages(dst []float32, start, source, kind []int32, table, weight []float32) {
	for d := range len(dst) / Lanes {
		var sum [Lanes]float32
		for i := start[d]; i < start[d+1]; i++ {
			x, w := row(table, source[i], Lanes), row(weight, kind[i], Lanes)
			for l := range Lanes {
				sum[l] += float32(x[l] * w[l])
			}
		}
		copy(dst[d*Lanes:], sum[:])
	}
}

func multiply(dst []float32, width int, src []float32, pitch, planes int, weight []float32) {
	for d := range len(dst) / width {
		to := row(dst, int32(d), width)
		for k := range planes * Lanes {
			addScaled(to, row(weight, int32(k), width), src[k/Lanes*pitch+d*Lanes+k%Lanes])
		}
	}
}

func normalize(
	dst []float32, dstPitch int, src []float32, srcPitch int, rows, gain, shift []float32, epsilon float32,
) {
	width := len(gain)
	count := float32(width)
	for d := range len(rows) / width {
		x := row(rows, int32(d), width)
		var sum, square [Lanes]float32
		for j := 0; j < width; j += Lanes {
			for l := range Lanes {
				sum[l] += x[j+l]
			}
		}
		mean := Reduce(&sum) / count
		for j := 0; j < width; j += Lanes {
			for l := range Lanes {
				y := x[j+l] - mean
				square[l] += float32(y * y)
			}
		}
		scale := 1 / sqrt(Reduce(&square)/count+epsilon)
		for p := range width / Lanes {
			for l := range Lanes {
				j := p*Lanes + l
				y := float32(float32((x[j]-mean)*scale)*gain[j]) + shift[j]
				dst[p*dstPitch+d*Lanes+l] = src[p*srcPitch+d*Lanes+l] + rectify(y)
			}
		}
	}
}

func rectified(dst, rows, w []float32, bias float32) {
	for d := range dst {
		x := row(rows, int32(d), len(w))
		var sum [Lanes]float32
		for j := 0; j < len(w); j += Lanes {
			for l := range Lanes {
				sum[l] += float32(rectify(x[j+l]) * w[j+l])
			}
		}
		dst[d] = Reduce(&sum) + bias
	}
}

// rectify returns 0 for what is below 0. NaN stays one.
func rectify(x float32) float32 {
	if 0 > x {
		return 0
	}
	return x
}
