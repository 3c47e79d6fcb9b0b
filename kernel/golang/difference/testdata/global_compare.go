package main

import "fmt"

var intX, intY int
var int8X, int8Y int8
var uint16X, uint16Y uint16
var float64X, float64Y float64
var stringX, stringY string

func intCompare(a, b int) (s string) {
	intX, intY = a, b
	if intX == intY {
		s += "1"
	} else {
		s += "0"
	}
	if a == intY {
		s += "1"
	} else {
		s += "0"
	}
	if intX == b {
		s += "1"
	} else {
		s += "0"
	}
	if intX == 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if intX != intY {
		s += "1"
	} else {
		s += "0"
	}
	if a != intY {
		s += "1"
	} else {
		s += "0"
	}
	if intX != b {
		s += "1"
	} else {
		s += "0"
	}
	if intX != 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if intX < intY {
		s += "1"
	} else {
		s += "0"
	}
	if a < intY {
		s += "1"
	} else {
		s += "0"
	}
	if intX < b {
		s += "1"
	} else {
		s += "0"
	}
	if intX < 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if intX <= intY {
		s += "1"
	} else {
		s += "0"
	}
	if a <= intY {
		s += "1"
	} else {
		s += "0"
	}
	if intX <= b {
		s += "1"
	} else {
		s += "0"
	}
	if intX <= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if intX > intY {
		s += "1"
	} else {
		s += "0"
	}
	if a > intY {
		s += "1"
	} else {
		s += "0"
	}
	if intX > b {
		s += "1"
	} else {
		s += "0"
	}
	if intX > 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if intX >= intY {
		s += "1"
	} else {
		s += "0"
	}
	if a >= intY {
		s += "1"
	} else {
		s += "0"
	}
	if intX >= b {
		s += "1"
	} else {
		s += "0"
	}
	if intX >= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	return
}

func int8Compare(a, b int8) (s string) {
	int8X, int8Y = a, b
	if int8X == int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if a == int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if int8X == b {
		s += "1"
	} else {
		s += "0"
	}
	if int8X == 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if int8X != int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if a != int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if int8X != b {
		s += "1"
	} else {
		s += "0"
	}
	if int8X != 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if int8X < int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if a < int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if int8X < b {
		s += "1"
	} else {
		s += "0"
	}
	if int8X < 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if int8X <= int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if a <= int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if int8X <= b {
		s += "1"
	} else {
		s += "0"
	}
	if int8X <= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if int8X > int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if a > int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if int8X > b {
		s += "1"
	} else {
		s += "0"
	}
	if int8X > 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if int8X >= int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if a >= int8Y {
		s += "1"
	} else {
		s += "0"
	}
	if int8X >= b {
		s += "1"
	} else {
		s += "0"
	}
	if int8X >= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	return
}

func uint16Compare(a, b uint16) (s string) {
	uint16X, uint16Y = a, b
	if uint16X == uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if a == uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X == b {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X == 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if uint16X != uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if a != uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X != b {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X != 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if uint16X < uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if a < uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X < b {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X < 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if uint16X <= uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if a <= uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X <= b {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X <= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if uint16X > uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if a > uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X > b {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X > 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if uint16X >= uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if a >= uint16Y {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X >= b {
		s += "1"
	} else {
		s += "0"
	}
	if uint16X >= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	return
}

func float64Compare(a, b float64) (s string) {
	float64X, float64Y = a, b
	if float64X == float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if a == float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if float64X == b {
		s += "1"
	} else {
		s += "0"
	}
	if float64X == 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if float64X != float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if a != float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if float64X != b {
		s += "1"
	} else {
		s += "0"
	}
	if float64X != 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if float64X < float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if a < float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if float64X < b {
		s += "1"
	} else {
		s += "0"
	}
	if float64X < 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if float64X <= float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if a <= float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if float64X <= b {
		s += "1"
	} else {
		s += "0"
	}
	if float64X <= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if float64X > float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if a > float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if float64X > b {
		s += "1"
	} else {
		s += "0"
	}
	if float64X > 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if float64X >= float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if a >= float64Y {
		s += "1"
	} else {
		s += "0"
	}
	if float64X >= b {
		s += "1"
	} else {
		s += "0"
	}
	if float64X >= 5 {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	return
}

func stringCompare(a, b string) (s string) {
	stringX, stringY = a, b
	if stringX == stringY {
		s += "1"
	} else {
		s += "0"
	}
	if a == stringY {
		s += "1"
	} else {
		s += "0"
	}
	if stringX == b {
		s += "1"
	} else {
		s += "0"
	}
	if stringX == "m" {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if stringX != stringY {
		s += "1"
	} else {
		s += "0"
	}
	if a != stringY {
		s += "1"
	} else {
		s += "0"
	}
	if stringX != b {
		s += "1"
	} else {
		s += "0"
	}
	if stringX != "m" {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if stringX < stringY {
		s += "1"
	} else {
		s += "0"
	}
	if a < stringY {
		s += "1"
	} else {
		s += "0"
	}
	if stringX < b {
		s += "1"
	} else {
		s += "0"
	}
	if stringX < "m" {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if stringX <= stringY {
		s += "1"
	} else {
		s += "0"
	}
	if a <= stringY {
		s += "1"
	} else {
		s += "0"
	}
	if stringX <= b {
		s += "1"
	} else {
		s += "0"
	}
	if stringX <= "m" {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if stringX > stringY {
		s += "1"
	} else {
		s += "0"
	}
	if a > stringY {
		s += "1"
	} else {
		s += "0"
	}
	if stringX > b {
		s += "1"
	} else {
		s += "0"
	}
	if stringX > "m" {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	if stringX >= stringY {
		s += "1"
	} else {
		s += "0"
	}
	if a >= stringY {
		s += "1"
	} else {
		s += "0"
	}
	if stringX >= b {
		s += "1"
	} else {
		s += "0"
	}
	if stringX >= "m" {
		s += "1"
	} else {
		s += "0"
	}
	s += " "
	return
}

func main() {
	fmt.Println("int", -7, -7, intCompare(-7, -7))
	fmt.Println("int", -7, 5, intCompare(-7, 5))
	fmt.Println("int", -7, 100, intCompare(-7, 100))
	fmt.Println("int", 5, -7, intCompare(5, -7))
	fmt.Println("int", 5, 5, intCompare(5, 5))
	fmt.Println("int", 5, 100, intCompare(5, 100))
	fmt.Println("int", 100, -7, intCompare(100, -7))
	fmt.Println("int", 100, 5, intCompare(100, 5))
	fmt.Println("int", 100, 100, intCompare(100, 100))
	fmt.Println("int8", -7, -7, int8Compare(-7, -7))
	fmt.Println("int8", -7, 5, int8Compare(-7, 5))
	fmt.Println("int8", -7, 100, int8Compare(-7, 100))
	fmt.Println("int8", 5, -7, int8Compare(5, -7))
	fmt.Println("int8", 5, 5, int8Compare(5, 5))
	fmt.Println("int8", 5, 100, int8Compare(5, 100))
	fmt.Println("int8", 100, -7, int8Compare(100, -7))
	fmt.Println("int8", 100, 5, int8Compare(100, 5))
	fmt.Println("int8", 100, 100, int8Compare(100, 100))
	fmt.Println("uint16", 1, 1, uint16Compare(1, 1))
	fmt.Println("uint16", 1, 5, uint16Compare(1, 5))
	fmt.Println("uint16", 1, 200, uint16Compare(1, 200))
	fmt.Println("uint16", 5, 1, uint16Compare(5, 1))
	fmt.Println("uint16", 5, 5, uint16Compare(5, 5))
	fmt.Println("uint16", 5, 200, uint16Compare(5, 200))
	fmt.Println("uint16", 200, 1, uint16Compare(200, 1))
	fmt.Println("uint16", 200, 5, uint16Compare(200, 5))
	fmt.Println("uint16", 200, 200, uint16Compare(200, 200))
	fmt.Println("float64", -7, -7, float64Compare(-7, -7))
	fmt.Println("float64", -7, 5, float64Compare(-7, 5))
	fmt.Println("float64", -7, 100, float64Compare(-7, 100))
	fmt.Println("float64", 5, -7, float64Compare(5, -7))
	fmt.Println("float64", 5, 5, float64Compare(5, 5))
	fmt.Println("float64", 5, 100, float64Compare(5, 100))
	fmt.Println("float64", 100, -7, float64Compare(100, -7))
	fmt.Println("float64", 100, 5, float64Compare(100, 5))
	fmt.Println("float64", 100, 100, float64Compare(100, 100))
	fmt.Println("string", `a`, `a`, stringCompare("a", "a"))
	fmt.Println("string", `a`, `m`, stringCompare("a", "m"))
	fmt.Println("string", `a`, `z`, stringCompare("a", "z"))
	fmt.Println("string", `m`, `a`, stringCompare("m", "a"))
	fmt.Println("string", `m`, `m`, stringCompare("m", "m"))
	fmt.Println("string", `m`, `z`, stringCompare("m", "z"))
	fmt.Println("string", `z`, `a`, stringCompare("z", "a"))
	fmt.Println("string", `z`, `m`, stringCompare("z", "m"))
	fmt.Println("string", `z`, `z`, stringCompare("z", "z"))
}
