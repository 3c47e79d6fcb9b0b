package main

import "fmt"

func main() {
	i := 0
L:
	for {
		switch {
		case i == 3:
			i += 2
			continue L
		case i > 6:
			break L
		}
		select {
		default:
			i++
			if i == 2 {
				goto skip
			}
		}
		fmt.Print(i, " ")
		continue
	skip:
		fmt.Print("skip ")
	}
	fmt.Println()
	n := 0
retry:
	n++
	for j := range 3 {
		if n*j == 4 {
			goto end
		}
	}
	if n < 5 {
		goto retry
	}
end:
	fmt.Println("end", n)
sw:
	switch n {
	case 2:
		for {
			break sw
		}
		fmt.Println("no")
	default:
		fmt.Println("default")
	}
}
