package tracker

import (
	"maps"
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
	MaxRunName     = 250
	MaxExperiment  = 256
	MaxArtifactURI = 200
)

// inKey reports whether MLflow accepts a character in a name: what Python's \w matches (letters and numbers of all
// scripts, but not combining marks), / . - : and the space.
func inKey(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("/.- :", r)
}

func notInKey(r rune) bool { return !inKey(r) }

// CheckKey applies MLflow's rules for names of params, tags and metrics.
func CheckKey(kind, key string) error {
	switch n := utf8.RuneCountInString(key); {
	case key == "":
		return Errorf(CodeInvalid, nil, "a %s has an empty name", kind)
	case n > maxKey:
		return Errorf(CodeInvalid, nil, "the name of %s %.40q... has %d characters; at most %d fit", kind, key, n,
			maxKey)
	case !utf8.ValidString(key):
		return Errorf(CodeInvalid, nil, "the name of %s %q is not valid UTF-8", kind, key)
	case strings.ContainsFunc(key, notInKey):
		other, _ := utf8.DecodeRuneInString(key[strings.IndexFunc(key, notInKey):])
		return Errorf(CodeInvalid, nil, "the name of %s %q may only contain letters, numbers, _ - . : / and spaces, "+
			"not %U", kind, key, other) // a combining mark is invisible in the name
	case !cleanPath(key):
		return Errorf(CodeInvalid, nil, "the name of %s %q must be a plain path: no leading slash, "+
			"no empty, \".\" or \"..\" part", kind, key)
	}
	return nil
}

func cleanPath(key string) bool {
	return !slices.ContainsFunc(strings.Split(key, "/"), func(part string) bool {
		return part == "" || part == "." || part == ".."
	})
}

// CheckEncoding refuses what PostgreSQL cannot store as text.
func CheckEncoding(kind, key, value string) error {
	if !utf8.ValidString(value) {
		return Errorf(CodeInvalid, nil, "%s %q is not valid UTF-8", kind, key)
	}
	if strings.IndexByte(value, 0) >= 0 {
		return Errorf(CodeInvalid, nil, "%s %q contains a zero byte, which PostgreSQL cannot store", kind, key)
	}
	return nil
}

func CheckText(kind, key, value string, limit int) error {
	if err := CheckEncoding(kind, key, value); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(value); n > limit {
		return Errorf(CodeInvalid, nil, "%s %q has %d characters; at most %d fit. Store long texts as an artifact",
			kind, key, n, limit)
	}
	return nil
}

func CheckParams(params map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(params)) {
		if err := CheckKey("param", key); err != nil {
			return err
		}
		if err := CheckText("param", key, params[key], maxParam); err != nil {
			return err
		}
	}
	return nil
}

func CheckTags(tags map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if err := CheckKey("tag", key); err != nil {
			return err
		}
		limit := maxTag
		if key == TagRunName {
			limit = MaxRunName
		}
		if err := CheckText("tag", key, tags[key], limit); err != nil {
			return err
		}
	}
	return nil
}
