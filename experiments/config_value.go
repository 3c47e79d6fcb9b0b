package experiments

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// applyYAML reads one config file over c. The file is walked by hand rather than decoded, so that every error can name
// the line and the nearest key, and so that 2e-5 is a number (the YAML library takes it for text).
func (c *Config) applyYAML(file string, raw []byte) error {
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		origin, message := Origin{File: file}, err.Error()
		if syntax, ok := err.(yaml.Error); ok {
			message = syntax.GetMessage()
			if t := syntax.GetToken(); t != nil && t.Position != nil {
				origin.Line = t.Position.Line
			}
		}
		return &ConfigError{Origin: origin, Message: "not valid YAML: " + message}
	}
	documents := 0
	for _, document := range tree.Docs {
		if document.Body == nil || document.Body.Type() == ast.NullType {
			continue
		}
		if documents++; documents > 1 {
			return &ConfigError{Origin: originOf(file, document.Body), Message: "a second YAML document; a config is one document"}
		}
		if err := c.applyMapping(file, "", document.Body); err != nil {
			return err
		}
	}
	return nil
}

func originOf(file string, node ast.Node) Origin {
	return Origin{File: file, Line: node.GetToken().Position.Line}
}

func (c *Config) applyMapping(file, prefix string, node ast.Node) error {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		what := "a config"
		if prefix != "" {
			what = strings.TrimSuffix(prefix, ".")
		}
		return &ConfigError{Origin: originOf(file, node), Key: prefix, Message: what + " must be a list of keys and values, not " + kindOf(node)}
	}
	for items := mapping.MapRange(); items.Next(); {
		keyNode, value := items.Key(), items.Value()
		origin := originOf(file, keyNode)
		key := prefix + keyNode.GetToken().Value
		if isSection(key) {
			if value.Type() == ast.NullType {
				return &ConfigError{Origin: origin, Key: key, Message: key + " is empty; give it keys or leave it out"}
			}
			if err := c.applyMapping(file, key+".", value); err != nil {
				return err
			}
			continue
		}
		f, ok := c.field(key)
		if !ok {
			return unknownKey(key, origin)
		}
		if err := assignNode(f, value); err != nil {
			return &ConfigError{Origin: originOf(file, keyNode), Key: key, Message: key + " " + err.Error()}
		}
		c.origin[key] = origin
	}
	return nil
}

// shown is a key as a message names it.
func shown(key string) string {
	if secret(key) {
		return ""
	}
	return key
}

func unknownKey(key string, origin Origin) error {
	return &ConfigError{Origin: origin, Key: key, Message: strings.TrimSpace("unknown key " + shown(key)), Nearest: nearest(key, Keys())}
}

func (c *Config) field(key string) (reflect.Value, bool) {
	for _, f := range c.fields() {
		if f.Key == key {
			return f.Value, true
		}
	}
	return reflect.Value{}, false
}

func isSection(key string) bool {
	for _, k := range Keys() {
		if strings.HasPrefix(k, key+".") {
			return true
		}
	}
	return false
}

// assign sets one key from text, as the environment, --set and flags give it. tags.NAME sets a single tag.
func (c *Config) assign(key, text string, origin Origin) error {
	if name, ok := strings.CutPrefix(key, "tags."); ok && name != "" {
		tags := make(map[string]string, len(c.Tags)+1)
		for k, v := range c.Tags {
			tags[k] = v
		}
		tags[name] = text
		c.Tags = tags
		c.origin["tags"] = origin
		return nil
	}
	f, ok := c.field(key)
	if !ok {
		if isSection(key) {
			return &ConfigError{Origin: origin, Key: key, Message: key + " is a section; set one of its keys", Nearest: nearest(key+".", Keys())}
		}
		return unknownKey(key, origin)
	}
	if err := assignText(f, text); err != nil {
		return &ConfigError{Origin: origin, Key: key, Message: key + " " + err.Error()}
	}
	c.origin[key] = origin
	return nil
}

// assignNode sets a leaf from a YAML node and refuses a node of another kind.
func assignNode(v reflect.Value, node ast.Node) error {
	wrong := func() error {
		hint := ""
		if v.Kind() == reflect.String && (isNumber(node) || node.Type() == ast.BoolType) {
			hint = "; put it in quotes"
		}
		return fmt.Errorf("must be %s, not %s%s", kindName(v), kindOf(node), hint)
	}
	switch v.Interface().(type) {
	case string:
		if _, ok := node.(*ast.StringNode); !ok {
			if literal, ok := node.(*ast.LiteralNode); ok {
				v.SetString(literal.Value.Value)
				return nil
			}
			return wrong()
		}
		v.SetString(node.GetToken().Value)
		return nil
	case bool:
		if node.Type() != ast.BoolType {
			return wrong()
		}
	case []int:
		sequence, ok := node.(*ast.SequenceNode)
		if !ok {
			return wrong()
		}
		list := make([]int, len(sequence.Values))
		for i, item := range sequence.Values {
			if err := assignNode(reflect.ValueOf(&list[i]).Elem(), item); err != nil {
				return fmt.Errorf("item %d %w", i+1, err)
			}
		}
		v.Set(reflect.ValueOf(list))
		return nil
	case map[string]string:
		mapping, ok := node.(ast.MapNode)
		if !ok {
			return wrong()
		}
		tags := map[string]string{}
		for items := mapping.MapRange(); items.Next(); {
			// Tags are free text, so numbers and booleans are welcome as they are written.
			if _, ok := items.Value().(ast.ScalarNode); !ok || items.Value().Type() == ast.NullType {
				return fmt.Errorf("entry %s must be a text, not %s", items.Key().GetToken().Value, kindOf(items.Value()))
			}
			tags[items.Key().GetToken().Value] = items.Value().GetToken().Value
		}
		v.Set(reflect.ValueOf(tags))
		return nil
	default:
		if !isNumber(node) {
			return wrong()
		}
	}
	return assignText(v, node.GetToken().Value)
}

// isNumber also accepts plain scalars such as 2e-5, which the library's scanner takes for text.
func isNumber(node ast.Node) bool {
	switch node.Type() {
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return true
	case ast.StringType:
		t := node.GetToken()
		if t.Type != token.StringType {
			return false // quoted
		}
		_, err := parseFloat(t.Value)
		return err == nil
	}
	return false
}

// assignText sets a leaf from text. Lists are comma separated, with or without brackets; maps are a=b,c=d.
func assignText(v reflect.Value, text string) error {
	trimmed := strings.TrimSpace(text)
	bad := func() error { return fmt.Errorf("must be %s, not %s", kindName(v), quoted(text)) }
	switch v.Interface().(type) {
	case string:
		v.SetString(text)
	case bool:
		switch trimmed {
		case "true":
			v.SetBool(true)
		case "false":
			v.SetBool(false)
		default:
			return bad()
		}
	case int:
		n, err := strconv.Atoi(strings.ReplaceAll(trimmed, "_", ""))
		if err != nil {
			return bad()
		}
		v.SetInt(int64(n))
	case uint64:
		n, err := strconv.ParseUint(strings.ReplaceAll(trimmed, "_", ""), 10, 64)
		if err != nil {
			return bad()
		}
		v.SetUint(n)
	case float64:
		x, err := parseFloat(trimmed)
		if err != nil {
			return bad()
		}
		v.SetFloat(x)
	case []int:
		var list []int
		inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(trimmed, "["), "]"))
		if inner != "" {
			for _, item := range strings.Split(inner, ",") {
				n, err := strconv.Atoi(strings.TrimSpace(item))
				if err != nil {
					return bad()
				}
				list = append(list, n)
			}
		}
		v.Set(reflect.ValueOf(list))
	case map[string]string:
		tags := map[string]string{}
		if trimmed != "" {
			for _, item := range strings.Split(trimmed, ",") {
				name, value, ok := strings.Cut(item, "=")
				if !ok {
					return bad()
				}
				tags[strings.TrimSpace(name)] = value
			}
		}
		v.Set(reflect.ValueOf(tags))
	default:
		panic("experiments: config field of type " + v.Type().String())
	}
	return nil
}

func parseFloat(s string) (float64, error) {
	switch s {
	case ".nan", ".NaN", ".NAN":
		s = "nan"
	case ".inf", ".Inf", "+.inf":
		s = "inf"
	case "-.inf", "-.Inf":
		s = "-inf"
	}
	return strconv.ParseFloat(s, 64)
}

func kindName(v reflect.Value) string {
	switch v.Interface().(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case int:
		return "a whole number"
	case uint64:
		return "a whole number from 0"
	case float64:
		return "a number"
	case []int:
		return "a list of whole numbers"
	default:
		return "names and texts"
	}
}

// kindOf describes what a file holds where something else was expected.
func kindOf(node ast.Node) string {
	switch node.Type() {
	case ast.NullType:
		return "empty"
	case ast.SequenceType:
		return "a list"
	case ast.MappingType, ast.MappingValueType:
		return "keys and values"
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
		return "an anchor, alias or YAML tag (not supported in configs)"
	case ast.StringType, ast.LiteralType:
		return quoted(node.GetToken().Value)
	default:
		return node.GetToken().Value
	}
}
