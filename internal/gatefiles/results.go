package gatefiles

import (
	"bytes"
	"context"
	"io"

	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// ReadResults returns the results from files that contain either results, as written by "compat
// check --format json", or reports, which it checks with the options. A finding about several
// targets is repeated for each.
func ReadResults(ctx context.Context, o CheckOptions) (list []*gate.Result, err error) {
	defer func() { err = safetext.Error(err) }()
	dir, err := workspace.Open(o.Workspace)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var reports []string
	for _, name := range o.Reports {
		r, err := read(dir, GateFile{Name: name}, readResult)
		switch {
		case err != nil:
			return nil, err
		case r == nil:
			reports = append(reports, name)
		default:
			list = append(list, r)
		}
	}
	if len(reports) > 0 || len(o.Reports) == 0 {
		o.Reports = reports
		r, err := Check(ctx, o)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	for _, r := range list {
		r.Findings = append(r.Findings, repeated(r.Findings)...)
	}
	return list, nil
}

// repeated returns copies of findings for the other targets that they are about.
func repeated(findings []gate.Finding) (list []gate.Finding) {
	for _, f := range findings {
		for _, label := range f.Also {
			again := f
			again.Target, again.Also = label, nil
			list = append(list, again)
		}
	}
	return list
}

// readResult returns nil for files that are not results.
func readResult(name string, r io.Reader) (*gate.Result, error) {
	const most = 512 << 20
	data, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil || !bytes.Contains(data, []byte(gate.ResultSchema)) {
		return nil, err
	}
	return gate.ReadResult(name, bytes.NewReader(data))
}
