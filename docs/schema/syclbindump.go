package schema

import _ "embed"

// SYCLBINDump is the schema of the output of "packager dump --json".
//
//go:embed syclbin-dump.schema.json
var SYCLBINDump []byte
