package postlink

import "testing"

func TestInDeviceLibrary(t *testing.T) {
	for name, want := range map[string]bool{
		"sqrtf":                                 true,
		"abs":                                   true,
		"strlen":                                true, // std::string_view without optimization
		"strchr":                                false,
		"__assert_fail":                         true,
		"__devicelib_assert_fail":               true,
		"__imf_sqrtf":                           true,
		"_ZSt21__glibcxx_assert_failPKciS0_S0_": true, // std::array and others in debug builds
		"_ZSt20__throw_out_of_rangePKc":         false,
		"__assert_failure":                      false,
		"sqrtff":                                false,
	} {
		if got := inDeviceLibrary(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
