package report

// What tests use of this package beyond its exported names.
const (
	MaxCells  = maxCells
	MaxListed = maxListed
	MaxText   = maxText
	MaxDepth  = maxDepth
)

var (
	CheckMembers = checkMembers
	DecodeSlowly = decode
)

func DecodeFast(data []byte) (*Report, bool) { return new(Decoder).decodeFast(data) }

func (r *Report) Check() error { return r.check() }
