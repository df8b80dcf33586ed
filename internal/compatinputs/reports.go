package compatinputs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// ReadReports reads the reports that the options name as they are, for renderings
// that show all of them. Of several, one without a label is called by its file.
func ReadReports(ctx context.Context, o CheckOptions) (list []*report.Report, err error) {
	defer func() { err = safetext.Error(err) }()
	folder, err := workspace.Open(o.Workspace)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := unique(folder, o.Reports)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := read(folder, GateFile{Name: name}, report.Decode)
		if err != nil {
			return nil, err
		}
		if len(names)+len(o.Built) > 1 {
			r.Name(filepath.ToSlash(name))
		}
		list = append(list, r)
	}
	return append(list, o.Built...), nil
}

// Digest returns the SHA-256 of the SHA-256 of each report that the options name or
// have, in their order.
func Digest(ctx context.Context, o CheckOptions) (digest string, err error) {
	defer func() { err = safetext.Error(err) }()
	folder, err := workspace.Open(o.Workspace)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	names, err := unique(folder, o.Reports)
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		f, err := folder.Open(name)
		if err != nil {
			return "", err
		}
		one := sha256.New()
		_, err = io.Copy(one, f)
		f.Close()
		if err != nil {
			return "", err
		}
		all.Write(one.Sum(nil))
	}
	for _, r := range o.Built {
		one := sha256.New()
		if err := r.Encode(one); err != nil {
			return "", err
		}
		all.Write(one.Sum(nil))
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}
