package tracker

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MLflow's limits in characters. Longer texts are refused, never cut.
const (
	maxKey         = 250
	maxParam       = 6000
	maxTag         = 8000
	maxRunName     = 250
	maxExperiment  = 256
	maxArtifactURI = 200
)

// inKey reports whether MLflow takes a character in a name: what Python's \w matches, which is letters and numbers of
// all scripts but no combining marks, and / . - : and the space.
func inKey(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("/.- :", r)
}

// checkKey applies MLflow's rules for names of params, tags and metrics.
func checkKey(kind, key string) error {
	switch n := utf8.RuneCountInString(key); {
	case key == "":
		return errorf(CodeInvalid, nil, "a %s has an empty name", kind)
	case n > maxKey:
		return errorf(CodeInvalid, nil, "the name of %s %.40q... has %d characters; at most %d fit", kind, key, n,
			maxKey)
	case !utf8.ValidString(key):
		return errorf(CodeInvalid, nil, "the name of %s %q is not valid UTF-8", kind, key)
	case strings.ContainsFunc(key, func(r rune) bool { return !inKey(r) }):
		return errorf(CodeInvalid, nil, "the name of %s %q may only contain letters, numbers, _ - . : / and spaces",
			kind, key)
	case !cleanPath(key):
		return errorf(CodeInvalid, nil, "the name of %s %q must be a plain path: no leading slash, "+
			"no empty, \".\" or \"..\" part", kind, key)
	}
	return nil
}

func cleanPath(key string) bool {
	return !slices.ContainsFunc(strings.Split(key, "/"), func(part string) bool {
		return part == "" || part == "." || part == ".."
	})
}

// checkEncoding refuses what PostgreSQL cannot store as text.
func checkEncoding(kind, key, value string) error {
	if !utf8.ValidString(value) {
		return errorf(CodeInvalid, nil, "%s %q is not valid UTF-8", kind, key)
	}
	if strings.IndexByte(value, 0) >= 0 {
		return errorf(CodeInvalid, nil, "%s %q contains a zero byte, which PostgreSQL cannot store", kind, key)
	}
	return nil
}

func checkText(kind, key, value string, limit int) error {
	if err := checkEncoding(kind, key, value); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(value); n > limit {
		return errorf(CodeInvalid, nil, "%s %q has %d characters; at most %d fit. Store long texts as an artifact",
			kind, key, n, limit)
	}
	return nil
}

func checkParams(params map[string]string) error {
	for _, key := range sortedKeys(params) {
		if err := checkKey("param", key); err != nil {
			return err
		}
		if err := checkText("param", key, params[key], maxParam); err != nil {
			return err
		}
	}
	return nil
}

func checkTags(tags map[string]string) error {
	for _, key := range sortedKeys(tags) {
		if err := checkKey("tag", key); err != nil {
			return err
		}
		limit := maxTag
		if key == tagRunName {
			limit = maxRunName
		}
		if err := checkText("tag", key, tags[key], limit); err != nil {
			return err
		}
	}
	return nil
}
