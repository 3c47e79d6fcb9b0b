package main

type S string

func main() { panic(S("a\"b\nc")) }
