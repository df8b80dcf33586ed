// Command packager creates, prints, verifies, links and converts SYCLBIN files.
package main

import (
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func main() { tool().Main() }

// tool returns the command-line tool packager.
func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "packager",
		Short: "create, print, verify, link and convert SYCLBIN files",
		Commands: []*cli.Command{
			packCommand(),
			wrapCommand(),
			importCommand(),
			dumpCommand(),
			verifyCommand(),
			extractCommand(),
			convertCommand(),
			diffCommand(),
			linkCommand(),
			explainCommand(),
			specializeCommand(),
		},
	}
}

// form holds the flags that select the format of the output.
type form struct {
	output     string
	runtime    *release.Release // nil if not set
	unrecorded bool
	version    int
	bare       bool
	container  uint // 0 if not set
	kind       uint // 0 if not set
}

func (f *form) flags(fs *flag.FlagSet) {
	fs.StringVar(&f.output, "output", "", "write the SYCLBIN to this `file` (required)")
	inputs.ReleaseFlag(fs, &f.runtime, "runtime", "`release` of DPC++'s runtime that will load the file: "+release.Names()+"; selects the container and the aspect numbers (default 2026.0, which every 2026 runtime loads)")
	fs.BoolVar(&f.unrecorded, "no-runtime-record", false, "do not record the release in the file; readers must then know which aspect numbers it uses")
	fs.IntVar(&f.version, "syclbin-version", 1, "format `version`: 1 or 2; no runtime loads version 2")
	fs.BoolVar(&f.bare, "bare", false, "write version 1 without a container; no runtime loads such a file")
	fs.UintVar(&f.container, "container-version", 0, "OffloadBinary container `version`: 1 or 2 (default: the version that --runtime reads)")
	fs.UintVar(&f.kind, "image-kind", 0, "image kind `number` for a SYCLBIN in the container: 7 or 6 (default: the number that --runtime reads); without --runtime, 6 implies 2025.3")
}

// options returns the options that the flags select, or a usage error.
func (f *form) options() (syclbin.Options, error) {
	o := syclbin.Options{
		Release: f.runtime, Unrecorded: f.unrecorded, Version: f.version, Bare: f.bare,
		Container: uint32(f.container), ImageKind: offload.ImageKind(f.kind),
	}
	switch {
	case f.output == "":
		return o, cli.Usagef("--output is required")
	case f.version != 1 && f.version != 2:
		return o, cli.Usagef("--syclbin-version: unsupported version %d; expected 1 or 2", f.version)
	case f.container > 2:
		return o, cli.Usagef("--container-version: unsupported version %d; expected 1 or 2", f.container)
	case f.kind != 0 && f.kind != 6 && f.kind != 7:
		return o, cli.Usagef("--image-kind: unsupported kind %d; expected 6 or 7", f.kind)
	case f.bare && (f.container != 0 || f.kind != 0):
		return o, cli.Usagef("--bare cannot be combined with --container-version or --image-kind")
	case f.version == 2 && (f.bare || f.container == 1 || f.kind == 6):
		return o, cli.Usagef("--syclbin-version 2 requires container version 2 and image kind 7; remove --bare, --container-version and --image-kind")
	case f.kind == 6 && f.runtime == nil:
		o.Release = release.Before2026() // the only releases that read this kind
	}
	return o, nil
}

// parseState parses the value of --state.
func parseState(name string) (syclbin.State, error) {
	s, err := syclbin.ParseState(name)
	if err != nil {
		return s, cli.Usagef("--state: %v", err)
	}
	return s, nil
}
