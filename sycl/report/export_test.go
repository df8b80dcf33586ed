package report

import "bytes"

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
	return decodeBy(new(Decoder), data)
}

// DecodeInPieces is DecodeUnchecked with very little of the data in memory at a time.
func DecodeInPieces(data []byte) (*Report, error) {
	return decodeBy(&Decoder{window: make([]byte, 0, 40)}, data)
}

func decodeBy(d *Decoder, data []byte) (*Report, error) {
	r, fault, err := d.decode(bytes.NewReader(data))
	if fault != nil {
		return nil, fault
	}
	return r, err
}
