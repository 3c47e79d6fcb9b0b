package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
)

type Header struct {
	Magic [4]byte
	Ver   uint16
	Flags uint8
	_     uint8
	Size  int32
	Scale float32
}

func main() {
	h := Header{[4]byte{'S', 'P', 'H', 'E'}, 2, 7, 0, -5, 1.5}
	var b bytes.Buffer
	fmt.Println(binary.Write(&b, binary.LittleEndian, h), hex.EncodeToString(b.Bytes()), binary.Size(h))
	var g Header
	fmt.Println(binary.Read(&b, binary.LittleEndian, &g), g == h, g)
	x := binary.BigEndian.AppendUint32(nil, 0xdeadbeef)
	fmt.Println(x, binary.LittleEndian.Uint16(x[1:]), binary.AppendUvarint(nil, 300))
	e := base64.StdEncoding.EncodeToString([]byte("any + old & data"))
	d, err := base64.StdEncoding.DecodeString(e)
	fmt.Println(e, string(d), err)
	fmt.Printf("%08x %x\n", crc32.ChecksumIEEE([]byte("x")), sha256.Sum256([]byte("y")))
	_, err = hex.DecodeString("zz")
	fmt.Println(err)
	v, n := binary.Varint([]byte{0x81, 0x01})
	fmt.Println(v, n)
}
