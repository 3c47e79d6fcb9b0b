package display_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/spherelab/spherelab/kernel/display"
)

func ExampleTable() {
	rivers := []struct {
		name string
		km   int
	}{{"Rhine", 1233}, {"Elbe & Moldau", 1252}}
	columns := []display.Column{{Name: "river"}, {Name: "km", Numbers: true}}
	html := display.Table(columns, len(rivers), func(row, column int) string {
		if column == 0 {
			return rivers[row].name
		}
		return fmt.Sprint(rivers[row].km)
	})
	fmt.Println(strings.ReplaceAll(html, "><", ">\n<"))
	// Output:
	// <table>
	// <thead>
	// <tr>
	// <th style="text-align:left">river</th>
	// <th style="text-align:right">km</th>
	// </tr>
	// </thead>
	// <tbody>
	// <tr>
	// <td style="text-align:left">Rhine</td>
	// <td style="text-align:right">1233</td>
	// </tr>
	// <tr>
	// <td style="text-align:left">Elbe &amp; Moldau</td>
	// <td style="text-align:right">1252</td>
	// </tr>
	// </tbody>
	// </table>
}

func ExampleMarkdown() {
	d := display.Markdown("**two** facts") // the last expression of a cell shows it
	fmt.Println(d.Data[display.MIMETypeMarkdown])
	// Output:
	// **two** facts
}

// percent shows itself as markup in notebooks.
type percent float64

func (p percent) HTML() string { return fmt.Sprintf("<b>%.1f %%</b>", 100*float64(p)) }

func ExampleRender() {
	d, ok := display.Render(percent(0.125))
	if !ok {
		log.Fatal("nothing to show")
	}
	fmt.Println(d.Data[display.MIMETypeHTML])
	// Output:
	// <b>12.5 %</b>
}
