package report

// Unexported identifiers of this package that tests use.

func (r *Report) Check() error { return r.check() }
