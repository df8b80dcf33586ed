package bundle

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func TestLinkChangedInputs(t *testing.T) {
	for name, change := range map[string]func() error{
		"shorter": func() error { return os.Truncate("main.syclbin", 10) },
		"replaced": func() error {
			return errors.Join(os.Remove("main.syclbin"), os.Rename("library.syclbin", "main.syclbin"))
		},
		"gone":        func() error { return os.Remove("main.syclbin") },
		"overwritten": func() error { return os.WriteFile("main.syclbin", make([]byte, 1000), 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, name := range []string{"main.syclbin", "library.syclbin"} {
				code := syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader(name))
				var b bytes.Buffer
				testkit.NoError(t, syclbin.Write(&b, &syclbin.File{Version: 1, Modules: []*syclbin.Module{{Metadata: new(propset.Registry), IR: []*syclbin.Image{code}}}}, syclbin.Options{}))
				testkit.WriteFile(t, name, b.String())
			}
			files := &linkFiles{ctx: t.Context()}
			f := testkit.Must(files.read(&cli.Env{Stderr: io.Discard}, "main.syclbin", new(inputs.Reading)))(t)
			testkit.NoError(t, change())
			for _, err := range []error{files.unchanged(), syclbin.Write(io.Discard, f, syclbin.Options{})} {
				if cli.ExitCode(err) != 3 || !strings.Contains(err.Error(), "main.syclbin") {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}
