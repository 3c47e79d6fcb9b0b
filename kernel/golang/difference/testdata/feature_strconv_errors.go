package main

import (
	"errors"
	"fmt"
	"strconv"
)

func main() {
	for _, s := range []string{"12", "0x1f", "-9", "", "9999999999999999999", "1e3"} {
		n, err := strconv.ParseInt(s, 0, 32)
		fmt.Println(n, err, errors.Is(err, strconv.ErrRange))
	}
	fmt.Println(strconv.Quote("a\t\"é\x00"), strconv.FormatInt(-255, 16), strconv.AppendBool(nil, true))
}
