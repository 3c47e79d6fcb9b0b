package main

import "fmt"

var float32A, float32B, float32C float32
var float64A, float64B, float64C float64

func float32Ops(p, q float32) {
	local := q
	float32A, float32B = p, q
	float32A += float32B
	float32C = float32A + float32B
	r1 := float32B + float32C
	float32A += local
	float32A += 3
	r2 := float32A + local
	float32A = local + float32B
	r3 := local + float32B
	float32B = float32A + 5
	fmt.Println("float32 +", float32A, float32B, float32C, r1, r2, r3)
	float32A, float32B = p, q
	float32A -= float32B
	float32C = float32A - float32B
	r1 = float32B - float32C
	float32A -= local
	float32A -= 3
	r2 = float32A - local
	float32A = local - float32B
	r3 = local - float32B
	float32B = float32A - 5
	fmt.Println("float32 -", float32A, float32B, float32C, r1, r2, r3)
	float32A, float32B = p, q
	float32A *= float32B
	float32C = float32A * float32B
	r1 = float32B * float32C
	float32A *= local
	float32A *= 3
	r2 = float32A * local
	float32A = local * float32B
	r3 = local * float32B
	float32B = float32A * 5
	fmt.Println("float32 *", float32A, float32B, float32C, r1, r2, r3)
	float32A, float32B = p, q
	float32A /= float32B
	float32C = float32A / float32B
	r1 = float32C / float32B
	float32A /= local
	float32A /= 3
	r2 = float32A / local
	float32A = local / float32B
	r3 = local / float32B
	float32B = float32A / 5
	fmt.Println("float32 /", float32A, float32B, float32C, r1, r2, r3)
}

func float64Ops(p, q float64) {
	local := q
	float64A, float64B = p, q
	float64A += float64B
	float64C = float64A + float64B
	r1 := float64B + float64C
	float64A += local
	float64A += 3
	r2 := float64A + local
	float64A = local + float64B
	r3 := local + float64B
	float64B = float64A + 5
	fmt.Println("float64 +", float64A, float64B, float64C, r1, r2, r3)
	float64A, float64B = p, q
	float64A -= float64B
	float64C = float64A - float64B
	r1 = float64B - float64C
	float64A -= local
	float64A -= 3
	r2 = float64A - local
	float64A = local - float64B
	r3 = local - float64B
	float64B = float64A - 5
	fmt.Println("float64 -", float64A, float64B, float64C, r1, r2, r3)
	float64A, float64B = p, q
	float64A *= float64B
	float64C = float64A * float64B
	r1 = float64B * float64C
	float64A *= local
	float64A *= 3
	r2 = float64A * local
	float64A = local * float64B
	r3 = local * float64B
	float64B = float64A * 5
	fmt.Println("float64 *", float64A, float64B, float64C, r1, r2, r3)
	float64A, float64B = p, q
	float64A /= float64B
	float64C = float64A / float64B
	r1 = float64C / float64B
	float64A /= local
	float64A /= 3
	r2 = float64A / local
	float64A = local / float64B
	r3 = local / float64B
	float64B = float64A / 5
	fmt.Println("float64 /", float64A, float64B, float64C, r1, r2, r3)
}

func main() {
	float32Ops(1.5, -2.25)
	float32Ops(1e30, 3)
	float64Ops(1.5, -2.25)
	float64Ops(1e30, 3)
}
