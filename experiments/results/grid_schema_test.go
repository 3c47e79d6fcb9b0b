package results

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestSchemaGrid: a row has counts of training alone, and JSON has all of the schema.
func TestSchemaGrid(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	var text, object strings.Builder
	grid := SchemaGrid(g.Schema())
	expect.NoError(t, grid.Write(&text, "csv"))
	const row = "advised,91,52,90,1.8,1.0,,4,,\"heads of attended 52 %, tails of worked_under 33 %\"," +
		"\"heads of worked_at 94 %, heads of birth_country 78 %\"\n"
	if !strings.Contains(text.String(), row) {
		t.Errorf("got\n%s\nwant the row\n%s", text.String(), row)
	}
	expect.NoError(t, grid.Write(&object, "json"))
	var got kg.Schema
	expect.NoError(t, json.Unmarshal([]byte(object.String()), &got))
	if r := got.Relations[0]; got.Facts != len(g.Train) || r.Relation != "advised" || r.OneHead != 89 || r.Domain[0].Size != 66 ||
		r.Hierarchy.Levels != 4 || r.Hierarchy.Parent != "head" {
		t.Errorf("%+v, hierarchy %+v", r, r.Hierarchy)
	}
}
