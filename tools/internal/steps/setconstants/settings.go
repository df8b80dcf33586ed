package setconstants

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/specialize"
)

// Settings is the value of a flag that sets specialization constants as NAME=VALUE.
type Settings []specialize.Setting

func (s *Settings) String() string {
	var list []string
	for _, setting := range *s {
		list = append(list, fmt.Sprintf("%s=%s", setting.Name, setting.Value))
	}
	return strings.Join(list, " ")
}

// Set implements [flag.Value].
func (s *Settings) Set(v string) error {
	name, value, ok := strings.Cut(v, "=")
	if !ok || name == "" || value == "" {
		return errors.New("expected NAME=VALUE, with a name and a value")
	}
	*s = append(*s, specialize.Setting{Name: name, Value: value})
	return nil
}
