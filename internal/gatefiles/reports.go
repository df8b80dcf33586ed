package gatefiles

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// ReadReports reads the named reports unchanged, for formats that show them entirely. If there are
// several, a report without a label is named after its file.
func ReadReports(ctx context.Context, o CheckOptions) (list []*report.Report, err error) {
	var names []string
	err = o.eachReport(ctx, func(name string, in io.Reader) error {
		r, err := report.Decode(name, in)
		list, names = append(list, r), append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(list)+len(o.Built) > 1 {
		for i, r := range list {
			r.SetLabel(names[i])
		}
	}
	return append(list, o.Built...), nil
}

// Digest returns the SHA-256 of the SHA-256 digests of all reports in the options, in order.
func Digest(ctx context.Context, o CheckOptions) (string, error) {
	all := sha256.New()
	add := func(write func(io.Writer) error) error {
		one := sha256.New()
		err := write(one)
		all.Write(one.Sum(nil))
		return err
	}
	err := o.eachReport(ctx, func(_ string, in io.Reader) error {
		return add(func(w io.Writer) error { _, err := io.Copy(w, in); return err })
	})
	for _, r := range o.Built {
		err = cmp.Or(err, add(r.Encode))
	}
	return hex.EncodeToString(all.Sum(nil)), err
}

// eachReport opens the named report files, each once.
func (o *CheckOptions) eachReport(ctx context.Context, read func(name string, in io.Reader) error) (err error) {
	defer func() { err = safetext.Error(err) }()
	dir, err := workspace.Open(o.Workspace)
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := unique(dir, o.Reports)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		err = read(name, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
