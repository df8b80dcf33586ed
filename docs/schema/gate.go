package schema

import _ "embed"

// Policy is the schema of the policies of "compat check", as YAML.
//
//go:embed policy.schema.json
var Policy []byte

// Baseline is the schema of baselines, written by "compat baseline".
//
//go:embed baseline.schema.json
var Baseline []byte

// Result is the schema of results, written by "compat check --format json".
//
//go:embed result.schema.json
var Result []byte

// Diff is the schema of what "compat diff --format json" writes.
//
//go:embed diff.schema.json
var Diff []byte

// Site is the schema of the file data.json of sites, written by "compat site".
//
//go:embed site.schema.json
var Site []byte
