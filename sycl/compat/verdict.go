package compat

import (
	"fmt"
	"strconv"
)

// A Verdict says whether an image runs on a device. A higher one is worse.
type Verdict uint8

const (
	NoVerdict     Verdict = iota // nothing was decided
	Compatible                   // it runs
	NotApplicable                // the image is not meant for the device
	Undetermined                 // it depends on what is not known of the device
	Incompatible                 // it cannot run
)

var verdictNames = [...]string{NoVerdict: "none", Compatible: "compatible", NotApplicable: "not-applicable", Undetermined: "undetermined", Incompatible: "incompatible"}

// Verdicts are all verdicts but NoVerdict.
var Verdicts = []Verdict{Compatible, Incompatible, Undetermined, NotApplicable}

// String returns the name that reports have.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return "verdict " + strconv.Itoa(int(v))
}

// ParseVerdict returns the verdict with a name, one of [Verdicts].
func ParseVerdict(name string) (Verdict, error) {
	for _, v := range Verdicts {
		if verdictNames[v] == name {
			return v, nil
		}
	}
	return NoVerdict, fmt.Errorf("verdict %q is none of compatible, incompatible, undetermined, not-applicable", name)
}

// MarshalText returns the name.
func (v Verdict) MarshalText() ([]byte, error) {
	if v == NoVerdict || int(v) >= len(verdictNames) {
		return nil, fmt.Errorf("%v cannot be written", v)
	}
	return []byte(verdictNames[v]), nil
}

// UnmarshalText accepts a name.
func (v *Verdict) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVerdict(string(text))
	return err
}
