package main

import "fmt"

var uintA, uintB, uintC uint
var uint8A, uint8B, uint8C uint8
var uint16A, uint16B, uint16C uint16
var uint32A, uint32B, uint32C uint32
var uint64A, uint64B, uint64C uint64
var uintptrA, uintptrB, uintptrC uintptr

func uintOps(p, q uint) {
	local := q
	uintA, uintB = p, q
	uintA += uintB
	uintC = uintA + uintB
	r1 := uintB + uintC | 1
	uintA += local
	uintA += 3
	r2 := uintA + local
	uintA = local + uintB
	r3 := local + uintB
	uintB = uintA + 5
	fmt.Println("uint +", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA -= uintB
	uintC = uintA - uintB
	r1 = uintB - uintC | 1
	uintA -= local
	uintA -= 3
	r2 = uintA - local
	uintA = local - uintB
	r3 = local - uintB
	uintB = uintA - 5
	fmt.Println("uint -", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA *= uintB
	uintC = uintA * uintB
	r1 = uintB*uintC | 1
	uintA *= local
	uintA *= 3
	r2 = uintA * local
	uintA = local * uintB
	r3 = local * uintB
	uintB = uintA * 5
	fmt.Println("uint *", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA /= uintB
	uintC = uintA / uintB
	r1 = uintC / uintB
	uintA /= local
	uintA /= 3
	r2 = uintA / local
	uintA = local / uintB
	r3 = local / uintB
	uintB = uintA / 5
	fmt.Println("uint /", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA %= uintB
	uintC = uintA % uintB
	r1 = uintC % uintB
	uintA %= local
	uintA %= 3
	r2 = uintA % local
	uintA = local % uintB
	r3 = local % uintB
	uintB = uintA % 5
	fmt.Println("uint %", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA &= uintB
	uintC = uintA & uintB
	r1 = uintB&uintC | 1
	uintA &= local
	uintA &= 3
	r2 = uintA & local
	uintA = local & uintB
	r3 = local & uintB
	uintB = uintA & 5
	fmt.Println("uint &", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA |= uintB
	uintC = uintA | uintB
	r1 = uintB | uintC | 1
	uintA |= local
	uintA |= 3
	r2 = uintA | local
	uintA = local | uintB
	r3 = local | uintB
	uintB = uintA | 5
	fmt.Println("uint |", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA ^= uintB
	uintC = uintA ^ uintB
	r1 = uintB ^ uintC | 1
	uintA ^= local
	uintA ^= 3
	r2 = uintA ^ local
	uintA = local ^ uintB
	r3 = local ^ uintB
	uintB = uintA ^ 5
	fmt.Println("uint ^", uintA, uintB, uintC, r1, r2, r3)
	uintA, uintB = p, q
	uintA &^= uintB
	uintC = uintA &^ uintB
	r1 = uintB&^uintC | 1
	uintA &^= local
	uintA &^= 3
	r2 = uintA &^ local
	uintA = local &^ uintB
	r3 = local &^ uintB
	uintB = uintA &^ 5
	fmt.Println("uint &^", uintA, uintB, uintC, r1, r2, r3)
}

func uint8Ops(p, q uint8) {
	local := q
	uint8A, uint8B = p, q
	uint8A += uint8B
	uint8C = uint8A + uint8B
	r1 := uint8B + uint8C | 1
	uint8A += local
	uint8A += 3
	r2 := uint8A + local
	uint8A = local + uint8B
	r3 := local + uint8B
	uint8B = uint8A + 5
	fmt.Println("uint8 +", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A -= uint8B
	uint8C = uint8A - uint8B
	r1 = uint8B - uint8C | 1
	uint8A -= local
	uint8A -= 3
	r2 = uint8A - local
	uint8A = local - uint8B
	r3 = local - uint8B
	uint8B = uint8A - 5
	fmt.Println("uint8 -", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A *= uint8B
	uint8C = uint8A * uint8B
	r1 = uint8B*uint8C | 1
	uint8A *= local
	uint8A *= 3
	r2 = uint8A * local
	uint8A = local * uint8B
	r3 = local * uint8B
	uint8B = uint8A * 5
	fmt.Println("uint8 *", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A /= uint8B
	uint8C = uint8A / uint8B
	r1 = uint8C / uint8B
	uint8A /= local
	uint8A /= 3
	r2 = uint8A / local
	uint8A = local / uint8B
	r3 = local / uint8B
	uint8B = uint8A / 5
	fmt.Println("uint8 /", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A %= uint8B
	uint8C = uint8A % uint8B
	r1 = uint8C % uint8B
	uint8A %= local
	uint8A %= 3
	r2 = uint8A % local
	uint8A = local % uint8B
	r3 = local % uint8B
	uint8B = uint8A % 5
	fmt.Println("uint8 %", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A &= uint8B
	uint8C = uint8A & uint8B
	r1 = uint8B&uint8C | 1
	uint8A &= local
	uint8A &= 3
	r2 = uint8A & local
	uint8A = local & uint8B
	r3 = local & uint8B
	uint8B = uint8A & 5
	fmt.Println("uint8 &", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A |= uint8B
	uint8C = uint8A | uint8B
	r1 = uint8B | uint8C | 1
	uint8A |= local
	uint8A |= 3
	r2 = uint8A | local
	uint8A = local | uint8B
	r3 = local | uint8B
	uint8B = uint8A | 5
	fmt.Println("uint8 |", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A ^= uint8B
	uint8C = uint8A ^ uint8B
	r1 = uint8B ^ uint8C | 1
	uint8A ^= local
	uint8A ^= 3
	r2 = uint8A ^ local
	uint8A = local ^ uint8B
	r3 = local ^ uint8B
	uint8B = uint8A ^ 5
	fmt.Println("uint8 ^", uint8A, uint8B, uint8C, r1, r2, r3)
	uint8A, uint8B = p, q
	uint8A &^= uint8B
	uint8C = uint8A &^ uint8B
	r1 = uint8B&^uint8C | 1
	uint8A &^= local
	uint8A &^= 3
	r2 = uint8A &^ local
	uint8A = local &^ uint8B
	r3 = local &^ uint8B
	uint8B = uint8A &^ 5
	fmt.Println("uint8 &^", uint8A, uint8B, uint8C, r1, r2, r3)
}

func uint16Ops(p, q uint16) {
	local := q
	uint16A, uint16B = p, q
	uint16A += uint16B
	uint16C = uint16A + uint16B
	r1 := uint16B + uint16C | 1
	uint16A += local
	uint16A += 3
	r2 := uint16A + local
	uint16A = local + uint16B
	r3 := local + uint16B
	uint16B = uint16A + 5
	fmt.Println("uint16 +", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A -= uint16B
	uint16C = uint16A - uint16B
	r1 = uint16B - uint16C | 1
	uint16A -= local
	uint16A -= 3
	r2 = uint16A - local
	uint16A = local - uint16B
	r3 = local - uint16B
	uint16B = uint16A - 5
	fmt.Println("uint16 -", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A *= uint16B
	uint16C = uint16A * uint16B
	r1 = uint16B*uint16C | 1
	uint16A *= local
	uint16A *= 3
	r2 = uint16A * local
	uint16A = local * uint16B
	r3 = local * uint16B
	uint16B = uint16A * 5
	fmt.Println("uint16 *", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A /= uint16B
	uint16C = uint16A / uint16B
	r1 = uint16C / uint16B
	uint16A /= local
	uint16A /= 3
	r2 = uint16A / local
	uint16A = local / uint16B
	r3 = local / uint16B
	uint16B = uint16A / 5
	fmt.Println("uint16 /", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A %= uint16B
	uint16C = uint16A % uint16B
	r1 = uint16C % uint16B
	uint16A %= local
	uint16A %= 3
	r2 = uint16A % local
	uint16A = local % uint16B
	r3 = local % uint16B
	uint16B = uint16A % 5
	fmt.Println("uint16 %", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A &= uint16B
	uint16C = uint16A & uint16B
	r1 = uint16B&uint16C | 1
	uint16A &= local
	uint16A &= 3
	r2 = uint16A & local
	uint16A = local & uint16B
	r3 = local & uint16B
	uint16B = uint16A & 5
	fmt.Println("uint16 &", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A |= uint16B
	uint16C = uint16A | uint16B
	r1 = uint16B | uint16C | 1
	uint16A |= local
	uint16A |= 3
	r2 = uint16A | local
	uint16A = local | uint16B
	r3 = local | uint16B
	uint16B = uint16A | 5
	fmt.Println("uint16 |", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A ^= uint16B
	uint16C = uint16A ^ uint16B
	r1 = uint16B ^ uint16C | 1
	uint16A ^= local
	uint16A ^= 3
	r2 = uint16A ^ local
	uint16A = local ^ uint16B
	r3 = local ^ uint16B
	uint16B = uint16A ^ 5
	fmt.Println("uint16 ^", uint16A, uint16B, uint16C, r1, r2, r3)
	uint16A, uint16B = p, q
	uint16A &^= uint16B
	uint16C = uint16A &^ uint16B
	r1 = uint16B&^uint16C | 1
	uint16A &^= local
	uint16A &^= 3
	r2 = uint16A &^ local
	uint16A = local &^ uint16B
	r3 = local &^ uint16B
	uint16B = uint16A &^ 5
	fmt.Println("uint16 &^", uint16A, uint16B, uint16C, r1, r2, r3)
}

func uint32Ops(p, q uint32) {
	local := q
	uint32A, uint32B = p, q
	uint32A += uint32B
	uint32C = uint32A + uint32B
	r1 := uint32B + uint32C | 1
	uint32A += local
	uint32A += 3
	r2 := uint32A + local
	uint32A = local + uint32B
	r3 := local + uint32B
	uint32B = uint32A + 5
	fmt.Println("uint32 +", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A -= uint32B
	uint32C = uint32A - uint32B
	r1 = uint32B - uint32C | 1
	uint32A -= local
	uint32A -= 3
	r2 = uint32A - local
	uint32A = local - uint32B
	r3 = local - uint32B
	uint32B = uint32A - 5
	fmt.Println("uint32 -", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A *= uint32B
	uint32C = uint32A * uint32B
	r1 = uint32B*uint32C | 1
	uint32A *= local
	uint32A *= 3
	r2 = uint32A * local
	uint32A = local * uint32B
	r3 = local * uint32B
	uint32B = uint32A * 5
	fmt.Println("uint32 *", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A /= uint32B
	uint32C = uint32A / uint32B
	r1 = uint32C / uint32B
	uint32A /= local
	uint32A /= 3
	r2 = uint32A / local
	uint32A = local / uint32B
	r3 = local / uint32B
	uint32B = uint32A / 5
	fmt.Println("uint32 /", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A %= uint32B
	uint32C = uint32A % uint32B
	r1 = uint32C % uint32B
	uint32A %= local
	uint32A %= 3
	r2 = uint32A % local
	uint32A = local % uint32B
	r3 = local % uint32B
	uint32B = uint32A % 5
	fmt.Println("uint32 %", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A &= uint32B
	uint32C = uint32A & uint32B
	r1 = uint32B&uint32C | 1
	uint32A &= local
	uint32A &= 3
	r2 = uint32A & local
	uint32A = local & uint32B
	r3 = local & uint32B
	uint32B = uint32A & 5
	fmt.Println("uint32 &", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A |= uint32B
	uint32C = uint32A | uint32B
	r1 = uint32B | uint32C | 1
	uint32A |= local
	uint32A |= 3
	r2 = uint32A | local
	uint32A = local | uint32B
	r3 = local | uint32B
	uint32B = uint32A | 5
	fmt.Println("uint32 |", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A ^= uint32B
	uint32C = uint32A ^ uint32B
	r1 = uint32B ^ uint32C | 1
	uint32A ^= local
	uint32A ^= 3
	r2 = uint32A ^ local
	uint32A = local ^ uint32B
	r3 = local ^ uint32B
	uint32B = uint32A ^ 5
	fmt.Println("uint32 ^", uint32A, uint32B, uint32C, r1, r2, r3)
	uint32A, uint32B = p, q
	uint32A &^= uint32B
	uint32C = uint32A &^ uint32B
	r1 = uint32B&^uint32C | 1
	uint32A &^= local
	uint32A &^= 3
	r2 = uint32A &^ local
	uint32A = local &^ uint32B
	r3 = local &^ uint32B
	uint32B = uint32A &^ 5
	fmt.Println("uint32 &^", uint32A, uint32B, uint32C, r1, r2, r3)
}

func uint64Ops(p, q uint64) {
	local := q
	uint64A, uint64B = p, q
	uint64A += uint64B
	uint64C = uint64A + uint64B
	r1 := uint64B + uint64C | 1
	uint64A += local
	uint64A += 3
	r2 := uint64A + local
	uint64A = local + uint64B
	r3 := local + uint64B
	uint64B = uint64A + 5
	fmt.Println("uint64 +", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A -= uint64B
	uint64C = uint64A - uint64B
	r1 = uint64B - uint64C | 1
	uint64A -= local
	uint64A -= 3
	r2 = uint64A - local
	uint64A = local - uint64B
	r3 = local - uint64B
	uint64B = uint64A - 5
	fmt.Println("uint64 -", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A *= uint64B
	uint64C = uint64A * uint64B
	r1 = uint64B*uint64C | 1
	uint64A *= local
	uint64A *= 3
	r2 = uint64A * local
	uint64A = local * uint64B
	r3 = local * uint64B
	uint64B = uint64A * 5
	fmt.Println("uint64 *", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A /= uint64B
	uint64C = uint64A / uint64B
	r1 = uint64C / uint64B
	uint64A /= local
	uint64A /= 3
	r2 = uint64A / local
	uint64A = local / uint64B
	r3 = local / uint64B
	uint64B = uint64A / 5
	fmt.Println("uint64 /", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A %= uint64B
	uint64C = uint64A % uint64B
	r1 = uint64C % uint64B
	uint64A %= local
	uint64A %= 3
	r2 = uint64A % local
	uint64A = local % uint64B
	r3 = local % uint64B
	uint64B = uint64A % 5
	fmt.Println("uint64 %", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A &= uint64B
	uint64C = uint64A & uint64B
	r1 = uint64B&uint64C | 1
	uint64A &= local
	uint64A &= 3
	r2 = uint64A & local
	uint64A = local & uint64B
	r3 = local & uint64B
	uint64B = uint64A & 5
	fmt.Println("uint64 &", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A |= uint64B
	uint64C = uint64A | uint64B
	r1 = uint64B | uint64C | 1
	uint64A |= local
	uint64A |= 3
	r2 = uint64A | local
	uint64A = local | uint64B
	r3 = local | uint64B
	uint64B = uint64A | 5
	fmt.Println("uint64 |", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A ^= uint64B
	uint64C = uint64A ^ uint64B
	r1 = uint64B ^ uint64C | 1
	uint64A ^= local
	uint64A ^= 3
	r2 = uint64A ^ local
	uint64A = local ^ uint64B
	r3 = local ^ uint64B
	uint64B = uint64A ^ 5
	fmt.Println("uint64 ^", uint64A, uint64B, uint64C, r1, r2, r3)
	uint64A, uint64B = p, q
	uint64A &^= uint64B
	uint64C = uint64A &^ uint64B
	r1 = uint64B&^uint64C | 1
	uint64A &^= local
	uint64A &^= 3
	r2 = uint64A &^ local
	uint64A = local &^ uint64B
	r3 = local &^ uint64B
	uint64B = uint64A &^ 5
	fmt.Println("uint64 &^", uint64A, uint64B, uint64C, r1, r2, r3)
}

func uintptrOps(p, q uintptr) {
	local := q
	uintptrA, uintptrB = p, q
	uintptrA += uintptrB
	uintptrC = uintptrA + uintptrB
	r1 := uintptrB + uintptrC | 1
	uintptrA += local
	uintptrA += 3
	r2 := uintptrA + local
	uintptrA = local + uintptrB
	r3 := local + uintptrB
	uintptrB = uintptrA + 5
	fmt.Println("uintptr +", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA -= uintptrB
	uintptrC = uintptrA - uintptrB
	r1 = uintptrB - uintptrC | 1
	uintptrA -= local
	uintptrA -= 3
	r2 = uintptrA - local
	uintptrA = local - uintptrB
	r3 = local - uintptrB
	uintptrB = uintptrA - 5
	fmt.Println("uintptr -", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA *= uintptrB
	uintptrC = uintptrA * uintptrB
	r1 = uintptrB*uintptrC | 1
	uintptrA *= local
	uintptrA *= 3
	r2 = uintptrA * local
	uintptrA = local * uintptrB
	r3 = local * uintptrB
	uintptrB = uintptrA * 5
	fmt.Println("uintptr *", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA /= uintptrB
	uintptrC = uintptrA / uintptrB
	r1 = uintptrC / uintptrB
	uintptrA /= local
	uintptrA /= 3
	r2 = uintptrA / local
	uintptrA = local / uintptrB
	r3 = local / uintptrB
	uintptrB = uintptrA / 5
	fmt.Println("uintptr /", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA %= uintptrB
	uintptrC = uintptrA % uintptrB
	r1 = uintptrC % uintptrB
	uintptrA %= local
	uintptrA %= 3
	r2 = uintptrA % local
	uintptrA = local % uintptrB
	r3 = local % uintptrB
	uintptrB = uintptrA % 5
	fmt.Println("uintptr %", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA &= uintptrB
	uintptrC = uintptrA & uintptrB
	r1 = uintptrB&uintptrC | 1
	uintptrA &= local
	uintptrA &= 3
	r2 = uintptrA & local
	uintptrA = local & uintptrB
	r3 = local & uintptrB
	uintptrB = uintptrA & 5
	fmt.Println("uintptr &", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA |= uintptrB
	uintptrC = uintptrA | uintptrB
	r1 = uintptrB | uintptrC | 1
	uintptrA |= local
	uintptrA |= 3
	r2 = uintptrA | local
	uintptrA = local | uintptrB
	r3 = local | uintptrB
	uintptrB = uintptrA | 5
	fmt.Println("uintptr |", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA ^= uintptrB
	uintptrC = uintptrA ^ uintptrB
	r1 = uintptrB ^ uintptrC | 1
	uintptrA ^= local
	uintptrA ^= 3
	r2 = uintptrA ^ local
	uintptrA = local ^ uintptrB
	r3 = local ^ uintptrB
	uintptrB = uintptrA ^ 5
	fmt.Println("uintptr ^", uintptrA, uintptrB, uintptrC, r1, r2, r3)
	uintptrA, uintptrB = p, q
	uintptrA &^= uintptrB
	uintptrC = uintptrA &^ uintptrB
	r1 = uintptrB&^uintptrC | 1
	uintptrA &^= local
	uintptrA &^= 3
	r2 = uintptrA &^ local
	uintptrA = local &^ uintptrB
	r3 = local &^ uintptrB
	uintptrB = uintptrA &^ 5
	fmt.Println("uintptr &^", uintptrA, uintptrB, uintptrC, r1, r2, r3)
}

func main() {
	uintOps(200, 7)
	uintOps(^uint(0), 3)
	uint8Ops(200, 7)
	uint8Ops(^uint8(0), 3)
	uint16Ops(200, 7)
	uint16Ops(^uint16(0), 3)
	uint32Ops(200, 7)
	uint32Ops(^uint32(0), 3)
	uint64Ops(200, 7)
	uint64Ops(^uint64(0), 3)
	uintptrOps(200, 7)
	uintptrOps(^uintptr(0), 3)
}
