package scorefile_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/scorefile"
)

// Example measures the ranks of another program's scores.
func Example() {
	g, err := kg.New("tea", [][3]string{{"Ann", "drinks", "tea"}, {"Bob", "drinks", "milk"}},
		nil, [][3]string{{"Bob", "drinks", "tea"}})
	if err != nil {
		log.Fatal(err)
	}
	const file = "side,head,relation,tail,score\n" +
		"tail,Bob,drinks,milk,3\ntail,Bob,drinks,Ann,2\ntail,Bob,drinks,tea,1\nhead,Bob,drinks,tea,.5\n"
	scores, err := scorefile.Read(strings.NewReader(file), "scores.csv", g)
	if err != nil {
		log.Fatal(err)
	}
	report, err := eval.Run(context.Background(), scores.Model("mine"), g, eval.Settings{Cuts: []eval.Cut{eval.Top(2)}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Ranking.Tail.MRR, report.Ranking.Head.MRR) // milk is known and does not count, Ann is before tea
	// Output: 0.5 1
}
