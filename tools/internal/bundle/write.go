package bundle

import (
	"cmp"
	"io"
	"os"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	sycllink "github.com/rules-sycl/rules_sycl/sycl/link"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// Write writes a SYCLBIN atomically.
func Write(env *cli.Env, name string, f *syclbin.File, o syclbin.Options) error {
	total := imageBytes(f)
	return outfile.Write(name, func(w io.Writer) error {
		p := env.ProgressWriter(w, "writing "+name, total)
		defer p.Done()
		file, ok := w.(*os.File)
		if !ok || o.Compression != offload.Uncompressed {
			return syclbin.Write(p, f, o)
		}
		if err := reserve(file, total); err != nil {
			return err
		}
		places := newSegmentWriter(file, p)
		err := syclbin.Write(places, f, o)
		return cmp.Or(places.finish(), err)
	})
}

// WriteAndVerify writes a SYCLBIN atomically and returns the problems that verification finds.
func WriteAndVerify(env *cli.Env, name string, file *syclbin.File, o syclbin.Options) ([]syclbin.Finding, error) {
	putState(file)
	findings := make(chan []syclbin.Finding, 1)
	go func() { findings <- verifyWritten(file, o) }() // in parallel with writing to disk
	err := Write(env, name, file, o)
	return <-findings, err
}

func putState(file *syclbin.File) {
	file.Global.Add(propset.SYCLBINGlobal).Put("state", propset.Uint(uint32(file.State)))
}

// verifyWritten returns the problems in a file that is written with o.
func verifyWritten(file *syclbin.File, o syclbin.Options) []syclbin.Finding {
	return append(sycllink.Verify(file), syclbin.VerifyFor(file, cmp.Or(o.Release, release.Default()))...)
}

// imageBytes returns the total size of the images of a file.
func imageBytes(f *syclbin.File) (total int64) {
	for _, m := range f.Modules {
		for _, img := range m.Images() {
			total += img.Size()
		}
	}
	return total
}
