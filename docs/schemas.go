// Package docs contains the JSON Schemas of the files that the tools write. Its tests compare the
// documentation with the code.
package docs

import _ "embed"

// ReportSchema is the schema of compatibility reports, written by "compat report".
//
//go:embed schema/compat-report.schema.json
var ReportSchema []byte

// PolicySchema is the schema of the policies of "compat check", as YAML.
//
//go:embed schema/policy.schema.json
var PolicySchema []byte

// BaselineSchema is the schema of baselines, written by "compat baseline".
//
//go:embed schema/baseline.schema.json
var BaselineSchema []byte

// ResultSchema is the schema of results, written by "compat check --format json".
//
//go:embed schema/result.schema.json
var ResultSchema []byte

// DiffSchema is the schema of differences, written by "compat diff --format json".
//
//go:embed schema/diff.schema.json
var DiffSchema []byte

// SiteSchema is the schema of the file data.json of sites, written by "compat site".
//
//go:embed schema/site.schema.json
var SiteSchema []byte

// DumpSchema is the schema of the output of "packager dump --json".
//
//go:embed schema/syclbin-dump.schema.json
var DumpSchema []byte
