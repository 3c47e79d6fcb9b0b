// Package configs has the config files that are part of the program: default.yaml with all keys, the configs of public
// graphs and models, and sweeps.
package configs

import "embed"

// Files are the config files, by their paths in this folder.
//
//go:embed *.yaml */*.yaml
var Files embed.FS
