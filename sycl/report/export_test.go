package report

// What tests use of this package beyond its exported names.
const (
	MaxCells  = maxCells
	MaxListed = maxListed
	MaxText   = maxText
	MaxDepth  = maxDepth
)

func (r *Report) Check() error { return r.check() }

// DecodeUnchecked reads a report without holding its parts against each other.
func DecodeUnchecked(data []byte) (*Report, error) {
	r, fault := new(Decoder).decode(data)
	if fault != nil {
		return nil, fault
	}
	return r, nil
}
