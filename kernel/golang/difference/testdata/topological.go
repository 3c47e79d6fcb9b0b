package main

import (
	"fmt"
	"maps"
	"slices"
)

func order(deps map[string][]string) (out []string, err error) {
	state := map[string]int{}
	var visit func(string, []string) error
	visit = func(n string, path []string) error {
		switch state[n] {
		case 2:
			return nil
		case 1:
			return fmt.Errorf("cycle %v", append(path, n))
		}
		state[n] = 1
		for _, d := range deps[n] {
			if err := visit(d, append(path, n)); err != nil {
				return err
			}
		}
		state[n] = 2
		out = append(out, n)
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(deps)) {
		if err := visit(n, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}
func main() {
	fmt.Println(order(map[string][]string{"c": {"b", "a"}, "b": {"a"}, "a": nil, "d": {"c"}}))
	fmt.Println(order(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}}))
}
