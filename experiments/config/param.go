package config

import (
	"sync"
)

// ParamHash is the param of a run's IdentityHash, besides its config keys.
const ParamHash = "config_hash"

// defaults is Default, read once. It is never changed.
var defaults = sync.OnceValue(Default)

// FromParams is the inverse of Flatten, nil if these are not the params of a run of ours.
func FromParams(params map[string]string) *Config {
	if params[ParamHash] == "" {
		return nil
	}
	c := defaults().Clone()
	for _, key := range Keys() {
		text, logged := params[key]
		if !logged {
			if text, logged = laterKeys[key]; !logged { // what such runs had, whatever the default is today
				continue
			}
		}
		if err := c.Set(key, text, ""); err != nil {
			return nil
		}
	}
	return c
}

// Parse reads the text of a config over the defaults, and checks it. Errors name the origin instead of a file.
func Parse(origin string, text []byte) (Checked, error) {
	c := Default()
	if err := c.applyYAML(origin, text); err != nil {
		return Checked{}, err
	}
	return c.Check()
}
