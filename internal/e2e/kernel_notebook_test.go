package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestKernelNotebook lets nbclient run a notebook that uses what is linked in: our packages without an import, the
// renewed standard library, gonum, %%sql.
func TestKernelNotebook(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	cells := []struct {
		code string
		want string // part of the outputs
	}{
		{"g, err := kg.Bundled()\nerr", ""},
		{"g.Entities.Len() > 0 && g.Name == \"bundled\"", `"true"`},
		{"m, err := sphere.New(sphere.Settings{Model: \"rotate\", Variant: \"clean\", Dimension: 4, Gamma: 6, Epsilon: 2}, g, 1)\nerr", ""},
		{"import \"context\"\neval.Run(context.Background(), m, g, eval.Settings{})", "head F1"},
		{"%%sql\nselect 6 * 7 as answer, 'a<b' as text", "a&lt;b"},
		{"import \"errors\"\nerrors.Join(errors.New(\"one\"), errors.New(\"two\"))", "one"},
		{"import \"sync/atomic\"\nvar n atomic.Int64\nn.Add(5)\nn.Load()", `"5"`},
		{"import \"math/rand/v2\"\nr := rand.New(rand.NewPCG(1, 2))\nr.IntN(10) < 10", `"true"`},
		{"import \"gonum.org/v1/gonum/mat\"\nmat.Det(mat.NewDense(2, 2, []float64{1, 2, 3, 4}))", "-2"},
		{"import \"slices\"\nxs := []int{3, 1, 2}\nslices.Sort(xs)\nxs", "[1 2 3]"},
		{"import \"maps\"\nslices.Sorted(maps.Keys(map[string]int{\"b\": 1, \"a\": 2}))", "[a b]"},
		{"import \"log/slog\"\nslog.LevelWarn", "WARN"},
	}
	var codes []string
	for _, c := range cells {
		codes = append(codes, c.code)
	}
	cmd := j.python(abs(t, root, "_tool/python/run_notebook.py"), notebook(t, t.TempDir(), kernelName, codes...),
		kernelName)
	j.ok("kernel", "install")
	var ran struct {
		Metadata struct {
			LanguageInfo map[string]any `json:"language_info"`
		}
		Outputs []json.RawMessage
	}
	expect.NoError(t, json.Unmarshal(output(t, cmd), &ran))
	// What VS Code, JupyterLab and nbconvert choose a highlighter, a language server and a file name by.
	for key, want := range map[string]any{"name": "go", "file_extension": ".go", "mimetype": "text/x-go",
		"pygments_lexer": "go", "codemirror_mode": "go"} {
		if have := ran.Metadata.LanguageInfo[key]; !reflect.DeepEqual(have, want) {
			t.Errorf("language_info has %s = %v, want %v", key, have, want)
		}
	}
	if len(ran.Outputs) != len(cells) {
		t.Fatalf("%d outputs for %d cells", len(ran.Outputs), len(cells))
	}
	for i, c := range cells {
		var compact bytes.Buffer
		encoder := json.NewEncoder(&compact)
		encoder.SetEscapeHTML(false)
		expect.NoError(t, encoder.Encode(ran.Outputs[i]))
		if !strings.Contains(compact.String(), c.want) {
			t.Errorf("%s\ngives %s\nwhich lacks %s", c.code, compact.String(), c.want)
		}
	}
}

// TestKernelNbconvert: nbconvert runs a notebook on the kernel and makes pages of it, which show every output.
func TestKernelNbconvert(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	dir := t.TempDir()
	path := notebook(t, dir, kernelName, looks...)
	j.python() // skips before anything is started
	j.ok("kernel", "install")

	output(t, j.python("-m", "nbconvert", "--execute", "--allow-errors", "--to", "notebook", "--inplace", path))
	output(t, j.python("-m", "nbconvert", "--to", "html", "--HTMLExporter.mathjax_url=",
		"--HTMLExporter.require_js_url=", path))

	page, err := os.ReadFile(filepath.Join(dir, "demo.html"))
	expect.NoError(t, err)
	for what, want := range map[string]string{
		"highlighted Go": `<span class="kd">func</span>`, "output": "hello from a cell", "a table": "<th",
		"a picture": `src="data:image/png;base64,`,
		"a drawing": `src="data:image/svg+xml;base64,`, "a value": "[1 4 9]", "an error": "index out of range",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s: no %s", what, want)
		}
	}
	lookAt(t, filepath.Join(dir, "demo.html"))
}

// looks are cells whose outputs are of every kind that notebooks have.
var looks = []string{
	"import (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc square(n int) int { return n * n }\n\nfmt.Println(\"hello from a cell\")\nfmt.Fprintln(os.Stderr, \"and a warning\")\n[]int{square(1), square(2), square(3)}",
	"%%sql\nselect n as number, n * n as square, 'a < b & c' as text from generate_series(1, 3) as n",
	"import (\n\t\"image\"\n\t\"image/color\"\n)\n\npicture := image.NewRGBA(image.Rect(0, 0, 240, 80))\nfor x := 0; x < 240; x++ {\n\tfor y := 0; y < 80; y++ {\n" +
		"\t\tpicture.Set(x, y, color.RGBA{R: uint8(x), G: uint8(3 * y), B: 128, A: 255})\n\t}\n}\npicture",
	"display.SVG(`<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"240\" height=\"90\">\n\t<circle cx=\"60\" cy=\"45\" r=\"35\" fill=\"none\" stroke=\"#123a5c\" stroke-width=\"4\"/>\n" +
		"\t<path d=\"M 120 75 L 150 40 L 180 55 L 225 15\" fill=\"none\" stroke=\"#f08a24\" stroke-width=\"4\"/>\n</svg>`)",
	"Display(display.Markdown(\"**bold** and `code`\"))\ndisplay.Math(\"\\\\sqrt{a^2 + b^2}\")",
	"list := []int{1, 2, 3}\nfunc at(i int) int {\n\treturn list[i]\n}\nat(7)",
}

// TestKernelPreludeOff: with the switch, names are free.
func TestKernelPreludeOff(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	j.env = append(j.env, "SPHERELAB_PRELUDE=off")
	cmd := j.python(abs(t, root, "_tool/python/run_notebook.py"),
		notebook(t, t.TempDir(), kernelName, "kg", "import \"github.com/spherelab/spherelab/spherE/kg\"\nkg.Train"),
		kernelName)
	j.ok("kernel", "install")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "kg") ||
		strings.Contains(stderr.String(), "kg.Train") {
		t.Errorf("the first cell, kg, should fail as an unknown name: %v\n%s", err, stderr.String())
	}
	j.env = append(j.env, "SPHERELAB_PRELUDE=perhaps")
	j.fails(exitUsage, []string{"SPHERELAB_PRELUDE", "perhaps"}, "kernel", "run", "x.json")
}
