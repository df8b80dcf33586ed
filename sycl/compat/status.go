package compat

import (
	"fmt"
	"strconv"
)

// A Status is the decision whether an image runs on a device. A higher status is worse.
type Status uint8

const (
	NoStatus      Status = iota // nothing was decided
	Compatible                  // it runs
	NotApplicable               // the image is not meant for the device
	Undetermined                // it depends on unknown facts about the device
	Incompatible                // it cannot run
)

var statusNames = [...]string{NoStatus: "none", Compatible: "compatible", NotApplicable: "not-applicable", Undetermined: "undetermined", Incompatible: "incompatible"}

// Statuses are all statuses except NoStatus.
var Statuses = []Status{Compatible, Incompatible, Undetermined, NotApplicable}

// String returns the name used in reports.
func (v Status) String() string {
	if int(v) < len(statusNames) {
		return statusNames[v]
	}
	return "status " + strconv.Itoa(int(v))
}

// ParseStatus returns the status with the given name, which must be one of [Statuses].
func ParseStatus(name string) (Status, error) {
	for _, v := range Statuses {
		if statusNames[v] == name {
			return v, nil
		}
	}
	return NoStatus, fmt.Errorf("unknown status %q; expected compatible, incompatible, undetermined or not-applicable", name)
}

// MarshalText implements [encoding.TextMarshaler].
func (v Status) MarshalText() ([]byte, error) {
	if v == NoStatus || int(v) >= len(statusNames) {
		return nil, fmt.Errorf("%v cannot be written", v)
	}
	return []byte(statusNames[v]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (v *Status) UnmarshalText(text []byte) (err error) {
	*v, err = ParseStatus(string(text))
	return err
}
