package main

import (
	"fmt"
	"math"
)

type Matrix [][]float64

func NewMatrix(r, c int) Matrix {
	m := make(Matrix, r)
	for i := range m {
		m[i] = make([]float64, c)
	}
	return m
}

func (m Matrix) Mul(o Matrix) Matrix {
	out := NewMatrix(len(m), len(o[0]))
	for i := range m {
		for j := range o[0] {
			for k := range o {
				out[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return out
}

type Vec [3]float64

func (v Vec) Dot(w Vec) (s float64) {
	for i := range v {
		s += v[i] * w[i]
	}
	return
}

func (v *Vec) Normalize() {
	n := math.Sqrt(v.Dot(*v))
	for i := range v {
		v[i] /= n
	}
}

func newton(f, df func(float64) float64, x float64) float64 {
	for range 20 {
		x -= f(x) / df(x)
	}
	return x
}

func main() {
	a := Matrix{{1, 2}, {3, 4}}
	fmt.Println(a.Mul(a), a.Mul(Matrix{{1}, {0}}))
	v := Vec{3, 0, 4}
	v.Normalize()
	fmt.Println(v, v.Dot(Vec{1, 1, 1}))
	fmt.Printf("%.6f\n", newton(func(x float64) float64 { return x*x - 2 },
		func(x float64) float64 { return 2 * x }, 1))
	var hist [5]int
	for i := range 100 {
		hist[i*i%5]++
	}
	fmt.Println(hist)
	mean, m2 := 0.0, 0.0
	for i, x := range []float64{2, 4, 4, 4, 5, 5, 7, 9} {
		d := x - mean
		mean += d / float64(i+1)
		m2 += d * (x - mean)
	}
	fmt.Println(mean, m2/8)
	z := complex(0, 0)
	n := 0
	for ; n < 50 && real(z)*real(z)+imag(z)*imag(z) < 4; n++ {
		z = z*z + complex(-0.75, 0.1)
	}
	fmt.Println(n)
	var f32 float32 = 16777216
	fmt.Println(f32+1 == f32, float64(f32)+1, math.Float64bits(1.5), math.MaxInt64)
}
