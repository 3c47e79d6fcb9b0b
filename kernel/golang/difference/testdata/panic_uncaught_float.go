package main

type F float64

func main() { panic(F(1.5)) }
