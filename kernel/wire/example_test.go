package wire_test

import (
	"fmt"
	"log"

	"github.com/spherelab/spherelab/kernel/wire"
)

func ExampleSession_Decode() {
	c := wire.Connection{Key: "secret", SignatureScheme: "hmac-sha256"}
	front, err := wire.NewSession(c)
	if err != nil {
		log.Fatal(err)
	}
	frames, _, err := front.Encode("execute_request", nil, map[string]string{"code": "1 + 1"})
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := wire.NewSession(c)
	if err != nil {
		log.Fatal(err)
	}
	message, err := kernel.Decode(frames)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(message.Header.MsgType, string(message.Content))
	_, err = kernel.Decode(frames) // the same message again
	fmt.Println(err)
	// Output:
	// execute_request {"code":"1 + 1"}
	// kernel: message received before
}
