// Package schema has the JSON Schemas of the files that the tools write.
package schema

import _ "embed"

// CompatReport is the schema of compatibility reports, written by "compat report".
//
//go:embed compat-report.schema.json
var CompatReport []byte
