package report

// What tests use of this package beyond its exported names.

func (r *Report) Check() error { return r.check() }
