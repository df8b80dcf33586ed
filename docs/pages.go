package docs

import _ "embed"

// Action is the page about the GitHub Action, which the tests of its program hold
// against its inputs and outputs.
//
//go:embed action.md
var Action string

// Properties is the page about compile-time properties, which the tests of the package
// that lowers them hold against its tables.
//
//go:embed properties.md
var Properties string

// Gate is gate.md.
//
//go:embed gate.md
var Gate string
