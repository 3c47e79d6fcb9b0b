// Command generate writes the kernelspec that the Python package installs.
//
// usage: generate FOLDER
package main

import (
	"log"
	"os"

	"github.com/spherelab/spherelab/kernel/kernelspec"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: generate FOLDER")
	}
	if _, err := kernelspec.WritePackaged(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
