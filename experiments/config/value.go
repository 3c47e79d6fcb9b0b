package config

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/spherelab/spherelab/spherE/kg"
)

// applyYAML reads one config file over c. The library decodes each value; the mappings are walked here because an error
// needs the line and the nearest key, and because the library takes "3" and 1.5 for whole numbers.
func (c *Config) applyYAML(file string, raw []byte) error {
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return SyntaxError(file, "not valid YAML", err)
	}
	documents := 0
	for _, document := range tree.Docs {
		if document.Body == nil || document.Body.Type() == ast.NullType {
			continue
		}
		origin := Origin{File: file, Line: document.Body.GetToken().Position.Line}
		if documents++; documents > 1 {
			return &Error{Origin: origin, Message: "a second YAML document; a config is one document"}
		}
		if err := c.applyMapping("", origin, document.Body); err != nil {
			return err
		}
	}
	return nil
}

// SyntaxError names the line of an error of the YAML library.
func SyntaxError(file, what string, err error) error {
	origin, message := Origin{File: file}, err.Error()
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		message = syntax.GetMessage()
		if t := syntax.GetToken(); t != nil && t.Position != nil {
			origin.Line = t.Position.Line
		}
	}
	return &Error{Origin: origin, Message: what + ": " + message}
}

// applyMapping sets the keys of a section; the whole config is the section "".
func (c *Config) applyMapping(section string, origin Origin, node ast.Node) error {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		if section == "" {
			return &Error{Origin: origin, Message: "a config must be keys with values, not " + describe(node) +
				"; the name of a graph's file ends in " + strings.Join(kg.FileEndings(), ", ")}
		}
		return wrongType(section, "keys with values", describe(node), origin)
	}
	for items := mapping.MapRange(); items.Next(); {
		at := items.Key().GetToken()
		origin.Line = at.Position.Line
		key := at.Value
		if section != "" {
			key = section + "." + key
		}
		if isSection(key) {
			c.origin[key] = origin
			if err := c.applyMapping(key, origin, items.Value()); err != nil {
				return err
			}
			continue
		}
		if err := c.assign(key, items.Value(), origin); err != nil {
			return err
		}
	}
	return nil
}

func unknownKey(key string, origin Origin) error {
	e := &Error{Origin: origin, Key: key, Message: "unknown key", Nearest: nearestKey(key)}
	if !secret(key) {
		e.Message += " " + key
	}
	return e
}

func isSection(key string) bool {
	return key == "tags" || slices.ContainsFunc(keyFields(),
		func(f keyField) bool { return strings.HasPrefix(f.Key, key+".") })
}

// assign sets one key to the value of a YAML node. A value of the wrong type is a *Error and leaves c as it was.
func (c *Config) assign(key string, node ast.Node, origin Origin) error {
	if _, isScalar := node.(ast.ScalarNode); isScalar && node.GetToken().Value == autoText && c.setAuto(key, origin) {
		return nil
	}
	field, ok := c.field(key)
	switch {
	case strings.HasPrefix(key, "tags."):
		text, ok := tagText(node)
		if !ok {
			return wrongType(key, "text", describe(node), origin)
		}
		return c.assignText(key, text, origin)
	case !ok:
		return unknownKey(key, origin)
	case decode(field, node):
		c.recordOrigin(key, origin)
		return nil
	case field.Kind() == reflect.String && node.Type() != ast.NullType:
		return wrongType(key, "text", describe(node)+"; put it in quotes", origin)
	}
	return wrongType(key, typeName(field), describe(node), origin)
}

// tagText returns a scalar as it is written: the tag 1.10 stays 1.10.
func tagText(node ast.Node) (text string, ok bool) {
	if literal, ok := node.(*ast.LiteralNode); ok {
		return literal.Value.Value, true
	}
	switch node.Type() {
	case ast.NullType, ast.AnchorType, ast.AliasType, ast.TagType: // their token is the mark, not the text
		return "", false
	}
	_, ok = node.(ast.ScalarNode)
	return node.GetToken().Value, ok
}

func wrongType(key, want, got string, origin Origin) error {
	return &Error{Origin: origin, Key: key, Message: key + " must be " + want + ", not " + got}
}

// assignText sets one key from text, as the environment, --set and flags give it: YAML, in which a list needs no
// brackets and text no quotes. tags.NAME sets one tag; tags=a=b,c=d replaces all tags that weaker layers set.
func (c *Config) assignText(key, text string, origin Origin) error {
	if name, ok := strings.CutPrefix(key, "tags."); ok && name != "" {
		c.Tags = maps.Clone(c.Tags)
		if c.Tags == nil {
			c.Tags = map[string]string{}
		}
		c.Tags[name], c.origin["tags"] = text, origin
		return nil
	}
	field, ok := c.field(key)
	value := strings.TrimSpace(text)
	switch {
	case value == autoText && c.setAuto(key, origin):
		return nil
	case !ok && isSection(key):
		return &Error{Origin: origin, Key: key, Message: key + " is a section; set one of its keys"}
	case !ok:
		return unknownKey(key, origin)
	case field.Kind() == reflect.Map:
		tags, ok := parseTags(text)
		if !ok {
			return wrongType(key, "names and texts (a=b,c=d)", quoted(text), origin)
		}
		c.Tags, c.origin[key] = tags, origin
		return nil
	case field.Kind() == reflect.String:
		field.SetString(text)
		c.recordOrigin(key, origin)
		return nil
	case field.Kind() == reflect.Slice && !strings.HasPrefix(value, "["):
		value = "[" + value + "]"
	}
	if decodeJSON(field, []byte(value)) { // most values are JSON, which is much faster to read than YAML
		c.recordOrigin(key, origin)
		return nil
	}
	tree, err := parser.ParseBytes([]byte(value), 0)
	if err != nil || len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		return wrongType(key, typeName(field), quoted(text), origin)
	}
	return c.assign(key, tree.Docs[0].Body, origin)
}

// parseTags reads a=b,c=d; an empty text means no tags.
func parseTags(text string) (tags map[string]string, ok bool) {
	tags = map[string]string{}
	if strings.TrimSpace(text) == "" {
		return tags, true
	}
	for item := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(item, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, false
		}
		tags[name] = value
	}
	return tags, true
}

// decode sets a field to the value of a YAML node if it is of the field's type. The library converts between types
// (text to numbers, fractions to whole numbers); JSON does not, so the decoded value goes through JSON.
func decode(field reflect.Value, node ast.Node) bool {
	var value any
	if err := yaml.NodeToValue(node, &value); err != nil {
		return false
	}
	if text, ok := node.(*ast.StringNode); ok && field.Kind() == reflect.Float64 &&
		text.Token.Type == token.StringType {
		// Plain 2e-5 is a number in YAML 1.2 and text for the library.
		if x, err := strconv.ParseFloat(text.Value, 64); err == nil {
			value = x
		}
	}
	if field.Kind() != reflect.Float64 && !whole(value) {
		return false
	}
	raw, err := json.Marshal(value) // fails for NaN and infinities
	return err == nil && decodeJSON(field, raw)
}

// whole reports whether a decoded value and its items are neither fractions nor empty. JSON writes 3.0 as 3, and
// 9007199254740993.0 has lost its last digit.
func whole(value any) bool {
	switch value := value.(type) {
	case nil, float64:
		return false
	case []any:
		return !slices.ContainsFunc(value, func(item any) bool { return !whole(item) })
	}
	return true
}

func decodeJSON(field reflect.Value, raw []byte) bool {
	decoded := reflect.New(field.Type())
	if string(raw) == "null" || json.Unmarshal(raw, decoded.Interface()) != nil {
		return false
	}
	field.Set(decoded.Elem())
	return true
}

// typeName returns the name, for messages, of the values that a field takes.
func typeName(field reflect.Value) string {
	switch field.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Uint64:
		return "a whole number from 0"
	case reflect.Float64:
		return "a finite number"
	default:
		return "a list of whole numbers"
	}
}

// describe returns a value of a file in the form of messages.
func describe(node ast.Node) string {
	switch node := node.(type) {
	case *ast.NullNode:
		return "empty"
	case *ast.StringNode:
		return quoted(shortened(node.Value))
	case ast.MapNode:
		return "keys with values"
	}
	text := strings.TrimSpace(node.String())
	if secret(text) {
		return "an address"
	}
	return text
}

// shortened is the beginning of a long text, such as a file of another kind that was given as a config.
func shortened(text string) string {
	const maximum = 80
	if runes := []rune(text); len(runes) > maximum {
		return string(runes[:maximum]) + "..."
	}
	return text
}
