package main

import "fmt"

var intA, intB, intC int
var int8A, int8B, int8C int8
var int16A, int16B, int16C int16
var int32A, int32B, int32C int32
var int64A, int64B, int64C int64

func intOps(p, q int) {
	local := q
	intA, intB = p, q
	intA += intB
	intC = intA + intB
	r1 := intB + intC | 1
	intA += local
	intA += 3
	r2 := intA + local
	intA = local + intB
	r3 := local + intB
	intB = intA + 5
	fmt.Println("int +", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA -= intB
	intC = intA - intB
	r1 = intB - intC | 1
	intA -= local
	intA -= 3
	r2 = intA - local
	intA = local - intB
	r3 = local - intB
	intB = intA - 5
	fmt.Println("int -", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA *= intB
	intC = intA * intB
	r1 = intB*intC | 1
	intA *= local
	intA *= 3
	r2 = intA * local
	intA = local * intB
	r3 = local * intB
	intB = intA * 5
	fmt.Println("int *", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA /= intB
	intC = intA / intB
	r1 = intC / intB
	intA /= local
	intA /= 3
	r2 = intA / local
	intA = local / intB
	r3 = local / intB
	intB = intA / 5
	fmt.Println("int /", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA %= intB
	intC = intA % intB
	r1 = intC % intB
	intA %= local
	intA %= 3
	r2 = intA % local
	intA = local % intB
	r3 = local % intB
	intB = intA % 5
	fmt.Println("int %", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA &= intB
	intC = intA & intB
	r1 = intB&intC | 1
	intA &= local
	intA &= 3
	r2 = intA & local
	intA = local & intB
	r3 = local & intB
	intB = intA & 5
	fmt.Println("int &", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA |= intB
	intC = intA | intB
	r1 = intB | intC | 1
	intA |= local
	intA |= 3
	r2 = intA | local
	intA = local | intB
	r3 = local | intB
	intB = intA | 5
	fmt.Println("int |", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA ^= intB
	intC = intA ^ intB
	r1 = intB ^ intC | 1
	intA ^= local
	intA ^= 3
	r2 = intA ^ local
	intA = local ^ intB
	r3 = local ^ intB
	intB = intA ^ 5
	fmt.Println("int ^", intA, intB, intC, r1, r2, r3)
	intA, intB = p, q
	intA &^= intB
	intC = intA &^ intB
	r1 = intB&^intC | 1
	intA &^= local
	intA &^= 3
	r2 = intA &^ local
	intA = local &^ intB
	r3 = local &^ intB
	intB = intA &^ 5
	fmt.Println("int &^", intA, intB, intC, r1, r2, r3)
}

func int8Ops(p, q int8) {
	local := q
	int8A, int8B = p, q
	int8A += int8B
	int8C = int8A + int8B
	r1 := int8B + int8C | 1
	int8A += local
	int8A += 3
	r2 := int8A + local
	int8A = local + int8B
	r3 := local + int8B
	int8B = int8A + 5
	fmt.Println("int8 +", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A -= int8B
	int8C = int8A - int8B
	r1 = int8B - int8C | 1
	int8A -= local
	int8A -= 3
	r2 = int8A - local
	int8A = local - int8B
	r3 = local - int8B
	int8B = int8A - 5
	fmt.Println("int8 -", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A *= int8B
	int8C = int8A * int8B
	r1 = int8B*int8C | 1
	int8A *= local
	int8A *= 3
	r2 = int8A * local
	int8A = local * int8B
	r3 = local * int8B
	int8B = int8A * 5
	fmt.Println("int8 *", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A /= int8B
	int8C = int8A / int8B
	r1 = int8C / int8B
	int8A /= local
	int8A /= 3
	r2 = int8A / local
	int8A = local / int8B
	r3 = local / int8B
	int8B = int8A / 5
	fmt.Println("int8 /", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A %= int8B
	int8C = int8A % int8B
	r1 = int8C % int8B
	int8A %= local
	int8A %= 3
	r2 = int8A % local
	int8A = local % int8B
	r3 = local % int8B
	int8B = int8A % 5
	fmt.Println("int8 %", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A &= int8B
	int8C = int8A & int8B
	r1 = int8B&int8C | 1
	int8A &= local
	int8A &= 3
	r2 = int8A & local
	int8A = local & int8B
	r3 = local & int8B
	int8B = int8A & 5
	fmt.Println("int8 &", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A |= int8B
	int8C = int8A | int8B
	r1 = int8B | int8C | 1
	int8A |= local
	int8A |= 3
	r2 = int8A | local
	int8A = local | int8B
	r3 = local | int8B
	int8B = int8A | 5
	fmt.Println("int8 |", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A ^= int8B
	int8C = int8A ^ int8B
	r1 = int8B ^ int8C | 1
	int8A ^= local
	int8A ^= 3
	r2 = int8A ^ local
	int8A = local ^ int8B
	r3 = local ^ int8B
	int8B = int8A ^ 5
	fmt.Println("int8 ^", int8A, int8B, int8C, r1, r2, r3)
	int8A, int8B = p, q
	int8A &^= int8B
	int8C = int8A &^ int8B
	r1 = int8B&^int8C | 1
	int8A &^= local
	int8A &^= 3
	r2 = int8A &^ local
	int8A = local &^ int8B
	r3 = local &^ int8B
	int8B = int8A &^ 5
	fmt.Println("int8 &^", int8A, int8B, int8C, r1, r2, r3)
}

func int16Ops(p, q int16) {
	local := q
	int16A, int16B = p, q
	int16A += int16B
	int16C = int16A + int16B
	r1 := int16B + int16C | 1
	int16A += local
	int16A += 3
	r2 := int16A + local
	int16A = local + int16B
	r3 := local + int16B
	int16B = int16A + 5
	fmt.Println("int16 +", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A -= int16B
	int16C = int16A - int16B
	r1 = int16B - int16C | 1
	int16A -= local
	int16A -= 3
	r2 = int16A - local
	int16A = local - int16B
	r3 = local - int16B
	int16B = int16A - 5
	fmt.Println("int16 -", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A *= int16B
	int16C = int16A * int16B
	r1 = int16B*int16C | 1
	int16A *= local
	int16A *= 3
	r2 = int16A * local
	int16A = local * int16B
	r3 = local * int16B
	int16B = int16A * 5
	fmt.Println("int16 *", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A /= int16B
	int16C = int16A / int16B
	r1 = int16C / int16B
	int16A /= local
	int16A /= 3
	r2 = int16A / local
	int16A = local / int16B
	r3 = local / int16B
	int16B = int16A / 5
	fmt.Println("int16 /", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A %= int16B
	int16C = int16A % int16B
	r1 = int16C % int16B
	int16A %= local
	int16A %= 3
	r2 = int16A % local
	int16A = local % int16B
	r3 = local % int16B
	int16B = int16A % 5
	fmt.Println("int16 %", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A &= int16B
	int16C = int16A & int16B
	r1 = int16B&int16C | 1
	int16A &= local
	int16A &= 3
	r2 = int16A & local
	int16A = local & int16B
	r3 = local & int16B
	int16B = int16A & 5
	fmt.Println("int16 &", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A |= int16B
	int16C = int16A | int16B
	r1 = int16B | int16C | 1
	int16A |= local
	int16A |= 3
	r2 = int16A | local
	int16A = local | int16B
	r3 = local | int16B
	int16B = int16A | 5
	fmt.Println("int16 |", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A ^= int16B
	int16C = int16A ^ int16B
	r1 = int16B ^ int16C | 1
	int16A ^= local
	int16A ^= 3
	r2 = int16A ^ local
	int16A = local ^ int16B
	r3 = local ^ int16B
	int16B = int16A ^ 5
	fmt.Println("int16 ^", int16A, int16B, int16C, r1, r2, r3)
	int16A, int16B = p, q
	int16A &^= int16B
	int16C = int16A &^ int16B
	r1 = int16B&^int16C | 1
	int16A &^= local
	int16A &^= 3
	r2 = int16A &^ local
	int16A = local &^ int16B
	r3 = local &^ int16B
	int16B = int16A &^ 5
	fmt.Println("int16 &^", int16A, int16B, int16C, r1, r2, r3)
}

func int32Ops(p, q int32) {
	local := q
	int32A, int32B = p, q
	int32A += int32B
	int32C = int32A + int32B
	r1 := int32B + int32C | 1
	int32A += local
	int32A += 3
	r2 := int32A + local
	int32A = local + int32B
	r3 := local + int32B
	int32B = int32A + 5
	fmt.Println("int32 +", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A -= int32B
	int32C = int32A - int32B
	r1 = int32B - int32C | 1
	int32A -= local
	int32A -= 3
	r2 = int32A - local
	int32A = local - int32B
	r3 = local - int32B
	int32B = int32A - 5
	fmt.Println("int32 -", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A *= int32B
	int32C = int32A * int32B
	r1 = int32B*int32C | 1
	int32A *= local
	int32A *= 3
	r2 = int32A * local
	int32A = local * int32B
	r3 = local * int32B
	int32B = int32A * 5
	fmt.Println("int32 *", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A /= int32B
	int32C = int32A / int32B
	r1 = int32C / int32B
	int32A /= local
	int32A /= 3
	r2 = int32A / local
	int32A = local / int32B
	r3 = local / int32B
	int32B = int32A / 5
	fmt.Println("int32 /", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A %= int32B
	int32C = int32A % int32B
	r1 = int32C % int32B
	int32A %= local
	int32A %= 3
	r2 = int32A % local
	int32A = local % int32B
	r3 = local % int32B
	int32B = int32A % 5
	fmt.Println("int32 %", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A &= int32B
	int32C = int32A & int32B
	r1 = int32B&int32C | 1
	int32A &= local
	int32A &= 3
	r2 = int32A & local
	int32A = local & int32B
	r3 = local & int32B
	int32B = int32A & 5
	fmt.Println("int32 &", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A |= int32B
	int32C = int32A | int32B
	r1 = int32B | int32C | 1
	int32A |= local
	int32A |= 3
	r2 = int32A | local
	int32A = local | int32B
	r3 = local | int32B
	int32B = int32A | 5
	fmt.Println("int32 |", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A ^= int32B
	int32C = int32A ^ int32B
	r1 = int32B ^ int32C | 1
	int32A ^= local
	int32A ^= 3
	r2 = int32A ^ local
	int32A = local ^ int32B
	r3 = local ^ int32B
	int32B = int32A ^ 5
	fmt.Println("int32 ^", int32A, int32B, int32C, r1, r2, r3)
	int32A, int32B = p, q
	int32A &^= int32B
	int32C = int32A &^ int32B
	r1 = int32B&^int32C | 1
	int32A &^= local
	int32A &^= 3
	r2 = int32A &^ local
	int32A = local &^ int32B
	r3 = local &^ int32B
	int32B = int32A &^ 5
	fmt.Println("int32 &^", int32A, int32B, int32C, r1, r2, r3)
}

func int64Ops(p, q int64) {
	local := q
	int64A, int64B = p, q
	int64A += int64B
	int64C = int64A + int64B
	r1 := int64B + int64C | 1
	int64A += local
	int64A += 3
	r2 := int64A + local
	int64A = local + int64B
	r3 := local + int64B
	int64B = int64A + 5
	fmt.Println("int64 +", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A -= int64B
	int64C = int64A - int64B
	r1 = int64B - int64C | 1
	int64A -= local
	int64A -= 3
	r2 = int64A - local
	int64A = local - int64B
	r3 = local - int64B
	int64B = int64A - 5
	fmt.Println("int64 -", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A *= int64B
	int64C = int64A * int64B
	r1 = int64B*int64C | 1
	int64A *= local
	int64A *= 3
	r2 = int64A * local
	int64A = local * int64B
	r3 = local * int64B
	int64B = int64A * 5
	fmt.Println("int64 *", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A /= int64B
	int64C = int64A / int64B
	r1 = int64C / int64B
	int64A /= local
	int64A /= 3
	r2 = int64A / local
	int64A = local / int64B
	r3 = local / int64B
	int64B = int64A / 5
	fmt.Println("int64 /", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A %= int64B
	int64C = int64A % int64B
	r1 = int64C % int64B
	int64A %= local
	int64A %= 3
	r2 = int64A % local
	int64A = local % int64B
	r3 = local % int64B
	int64B = int64A % 5
	fmt.Println("int64 %", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A &= int64B
	int64C = int64A & int64B
	r1 = int64B&int64C | 1
	int64A &= local
	int64A &= 3
	r2 = int64A & local
	int64A = local & int64B
	r3 = local & int64B
	int64B = int64A & 5
	fmt.Println("int64 &", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A |= int64B
	int64C = int64A | int64B
	r1 = int64B | int64C | 1
	int64A |= local
	int64A |= 3
	r2 = int64A | local
	int64A = local | int64B
	r3 = local | int64B
	int64B = int64A | 5
	fmt.Println("int64 |", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A ^= int64B
	int64C = int64A ^ int64B
	r1 = int64B ^ int64C | 1
	int64A ^= local
	int64A ^= 3
	r2 = int64A ^ local
	int64A = local ^ int64B
	r3 = local ^ int64B
	int64B = int64A ^ 5
	fmt.Println("int64 ^", int64A, int64B, int64C, r1, r2, r3)
	int64A, int64B = p, q
	int64A &^= int64B
	int64C = int64A &^ int64B
	r1 = int64B&^int64C | 1
	int64A &^= local
	int64A &^= 3
	r2 = int64A &^ local
	int64A = local &^ int64B
	r3 = local &^ int64B
	int64B = int64A &^ 5
	fmt.Println("int64 &^", int64A, int64B, int64C, r1, r2, r3)
}

func main() {
	intOps(-100, 7)
	intOps(127, -3)
	int8Ops(-100, 7)
	int8Ops(127, -3)
	int16Ops(-100, 7)
	int16Ops(127, -3)
	int32Ops(-100, 7)
	int32Ops(127, -3)
	int64Ops(-100, 7)
	int64Ops(127, -3)
}
