// Command _generate writes the vector kernels of package simd: go run . -path AVX512 -out ../avx512_amd64.s -stubs
// ../avx512_amd64.go. It has a go.mod of its own, so that users of spherelab do not need avo.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("path", "", "instruction set: AVX512 or AVX2")
	family := flag.String("family", "",
		"counts, comparisons, sums, boxes or network: only these kernels, which other files have")
	roots := flag.String("roots", "", "Sequence or Mixed: only the kernels with roots, computed that way")
	flag.Parse()
	var p path
	switch *name {
	case avx512.name:
		p = avx512
	case avx2.name:
		p = avx2
	default:
		fmt.Fprintf(os.Stderr, "_generate: -path %q: use %s or %s\n", *name, avx512.name, avx2.name)
		os.Exit(2)
	}
	ConstraintExpr("amd64")
	if *roots != "" {
		w, ok := recipes[*name+*roots]
		if !ok {
			fmt.Fprintf(os.Stderr, "_generate: -roots %q: use Sequence or Mixed\n", *roots)
			os.Exit(2)
		}
		p.ways = w
		p.suffix = *roots
		p.rooted()
		if *roots == "Sequence" {
			p.alone()
		}
		Generate()
		return
	}
	switch *family {
	case "":
	case "counts":
		p.counts()
		Generate()
		return
	case "comparisons":
		p.comparisons()
		Generate()
		return
	case "sums":
		p.sums()
		Generate()
		return
	case "boxes":
		p.boxes()
		Generate()
		return
	case "network":
		p.network()
		Generate()
		return
	default:
		fmt.Fprintf(os.Stderr, "_generate: -family %q: use counts, comparisons, sums, boxes or network, or leave it out\n",
			*family)
		os.Exit(2)
	}
	for _, n := range []norm{{p, 2, false}, {p, 3, false}, {p, 1, true}} {
		n.pair()
		n.rows()
		n.gather()
		n.push()
		n.gatherPush()
		n.ownPush()
	}
	p.rotate2()
	p.unrotate2()
	p.phase2()
	p.turn2()
	p.add()
	p.adam()
	p.exp()
	p.logistic()
	p.prefetch()
	space{p}.kernels()
	many{p}.kernels()
	Generate()
}

// rooted writes the kernels that are computed in several ways.
func (p path) rooted() {
	two := p
	p.roots, p.quotients = p.roots3, p.quotients3
	for _, n := range []norm{{two, 2, false}, {p, 3, false}} {
		n.rows()
		n.gather()
		n.gatherPush()
		n.ownPush()
	}
	p.adam()
	s := space{p}
	s.stretchNorm()
	s.gatherStretched()
	s.gatherPushStretched()
	s.ownPushStretched()
}
