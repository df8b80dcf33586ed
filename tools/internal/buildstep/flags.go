package buildstep

import (
	"flag"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// DeviceConfigFiles declares the flag for device configurations.
func DeviceConfigFiles(fs *flag.FlagSet, files *cli.Strings) {
	fs.Var(files, "device-config-file", "device configuration `file`, which overrides built-in devices with the same names; may be repeated")
}

// OneInput returns the only argument, or a usage error.
func OneInput(args []string) (string, error) {
	if len(args) != 1 {
		return "", cli.Usagef("expected one input file, got %d", len(args))
	}
	return args[0], nil
}

// unescape decodes the name of the source in an argument SOURCE=PATH.
var unescape = strings.NewReplacer("%3D", "=", "%3d", "=", "%25", "%")

// SourcePath splits an argument SOURCE=PATH. In SOURCE, = must be written as %3D, and % can be
// written as %25.
func SourcePath(arg string) (source, path string, ok bool) {
	source, path, ok = strings.Cut(arg, "=")
	return unescape.Replace(source), path, ok && source != "" && path != ""
}

// Required returns a usage error for the first empty flag. pairs alternates flag names and values.
func Required(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return cli.Usagef("--%s is required", pairs[i])
		}
	}
	return nil
}
