package postgres

import (
	"encoding/json"
	"slices"
)

// typed converts what the driver read as bytes to the type of its column.
func typed(value any, column string) any {
	b, ok := value.([]byte)
	if !ok {
		return value
	}
	switch column {
	case "NUMERIC":
		return json.Number(b)
	case "JSON", "JSONB":
		return json.RawMessage(slices.Clone(b))
	}
	return string(b)
}
