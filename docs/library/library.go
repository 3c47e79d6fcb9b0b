// Package library has the programs of docs/library.md, a folder each.
package library
