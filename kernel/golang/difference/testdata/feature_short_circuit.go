package main

import (
	"fmt"
)

func t(s string, v bool) bool { fmt.Print(s); return v }
func main() {
	_ = t("a", false) && t("b", true)
	_ = t("c", true) || t("d", true)
	_ = (t("e", true) || t("f", false)) && !t("g", false)
	var p *struct{ n int }
	fmt.Println(p != nil && p.n > 0, p == nil || p.n > 0)
}
