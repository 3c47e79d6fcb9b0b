package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/spherelab/spherelab/experiments/configs"
	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

//go:generate go test -run TestSchemaIsCurrent -args -write

// Schema is a JSON Schema (draft 2020-12) of config files, with which editors complete and check them: every key with
// its documentation and default from default.yaml, its type, and the values of a closed choice. Ranges and what keys
// mean for each other are left to Validate.
func Schema() []byte {
	raw, err := configs.Files.ReadFile(defaultFile)
	if err != nil {
		panic(fmt.Sprintf("embedded default config: %v", err)) // the file is part of the program
	}
	root := sectionSchema(reflect.ValueOf(Default()).Elem(), "", keyComments(string(raw)))
	schema := append(jsonvalue.Object{
		{Key: "$schema", Value: "https://json-schema.org/draft/2020-12/schema"},
		{Key: "title", Value: "spherelab config"},
	}, root...)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		panic(err) // text, numbers and lists
	}
	return b.Bytes()
}

// sectionSchema is the schema of a mapping of the config.
func sectionSchema(section reflect.Value, prefix string, comments map[string]string) jsonvalue.Object {
	var properties jsonvalue.Object
	for i := range section.NumField() {
		key, ok := section.Type().Field(i).Tag.Lookup("yaml")
		if !ok {
			continue
		}
		field, schema := section.Field(i), jsonvalue.Object(nil)
		if text := comments[prefix+key]; text != "" {
			schema = jsonvalue.Object{{Key: "description", Value: text}}
		}
		if field.Kind() == reflect.Struct {
			schema = append(schema, sectionSchema(field, prefix+key+".", comments)...)
		} else {
			schema = append(schema, keySchema(prefix+key, field)...)
		}
		properties = append(properties, jsonvalue.Member{Key: key, Value: schema})
	}
	return jsonvalue.Object{{Key: "type", Value: "object"}, {Key: "properties", Value: properties},
		{Key: "additionalProperties", Value: false}}
}

// keySchema is the schema of a value.
func keySchema(key string, field reflect.Value) jsonvalue.Object {
	value := jsonvalue.Object{}
	switch field.Kind() {
	case reflect.String:
		value = jsonvalue.Object{{Key: "type", Value: "string"}}
		if choice := Choices(key); choice != nil {
			value = jsonvalue.Object{{Key: "enum", Value: choice}}
		}
	case reflect.Bool:
		value = jsonvalue.Object{{Key: "type", Value: "boolean"}}
	case reflect.Int:
		value = jsonvalue.Object{{Key: "type", Value: "integer"}}
	case reflect.Uint64:
		value = jsonvalue.Object{{Key: "type", Value: "integer"}, {Key: "minimum", Value: 0}}
	case reflect.Float64:
		value = jsonvalue.Object{{Key: "type", Value: "number"}}
	case reflect.Slice:
		value = jsonvalue.Object{{Key: "type", Value: "array"}, {Key: "items", Value: jsonvalue.Object{
			{Key: "type", Value: "integer"}, {Key: "minimum", Value: 1}}}, {Key: "uniqueItems", Value: true}}
	case reflect.Map:
		value = jsonvalue.Object{{Key: "type", Value: "object"},
			{Key: "additionalProperties", Value: jsonvalue.Object{{Key: "type", Value: []string{"string", "number",
				"boolean"}}}}}
	}
	if _, auto := autoValues[key]; auto && field.Kind() != reflect.String {
		value = jsonvalue.Object{{Key: "anyOf", Value: []jsonvalue.Object{value, {{Key: "const", Value: autoText}}}}}
	}
	if key == "tags" {
		return value // there are none
	}
	return append(value, jsonvalue.Member{Key: "default", Value: field.Interface()})
}

// Choices are the values of a key that takes no others, nil for any other key.
func Choices(key string) []string {
	switch key {
	case "model":
		return sphere.Models()
	case "variant":
		return sphere.Variants()
	case "train.loss":
		return sphere.Losses()
	case "train.sampling":
		return kg.Samplings()
	case "inductive.heads":
		return headsOf()
	case "early_stop.metric":
		return append([]string{"", autoText}, ValidationMetrics()...)
	case "eval.criterion":
		return criteria()
	}
	return nil
}

// keyComments are the comments of default.yaml by key, each as one paragraph. A comment belongs to the keys that follow
// it without an empty line, and is directly above the first one.
func keyComments(page string) map[string]string {
	comments := map[string]string{}
	var words []string
	section, ended := "", false // ended: the comment has a key
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(line)
		comment, isComment := strings.CutPrefix(text, "#")
		switch {
		case text == "":
			words, ended = nil, false
		case isComment:
			if ended {
				words, ended = nil, false
			}
			words = append(words, strings.Fields(comment)...)
		default:
			key, _, _ := strings.Cut(text, ":")
			if line[0] != ' ' {
				section = ""
			}
			comments[section+key] = strings.Join(words, " ")
			if strings.HasSuffix(text, ":") {
				section, words = key+".", nil
			}
			ended = true
		}
	}
	return comments
}
