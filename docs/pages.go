package docs

import _ "embed"

// Action is the page about the GitHub Action, which the tests of its program hold
// against its inputs and outputs.
//
//go:embed action.md
var Action string
