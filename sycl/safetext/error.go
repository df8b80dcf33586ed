package safetext

// Error returns an error with the text of err after [Shorten] and [Escape], or nil if err is nil.
func Error(err error) error {
	if err == nil {
		return nil
	}
	return &escaped{err}
}

type escaped struct{ err error }

func (e *escaped) Error() string { return Escape(Shorten(e.err.Error())) }
func (e *escaped) Unwrap() error { return e.err }
