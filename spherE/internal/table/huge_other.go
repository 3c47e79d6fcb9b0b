//go:build !linux

package table

func adviseHuge([]byte) {}
