package postlink

import (
	"regexp"
	"strings"
	"sync"
)

// The functions of DPC++'s device libraries, which its compiler links between finding aspects and
// splitting: libsycl-crt, -cmath, -complex, -imf, -itt and their fp64 parts in DPC++ 2026.
const (
	// libraryBoth lists the functions that exist for double and, with the suffix f, for float.
	libraryBoth = "acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt ccos ccosh ceil " +
		"cexp cexp10 cimag clog clog10 copysign cos cosh cospi cpolar cpow cproj creal csin csinh csqrt ctan ctanh erf erfc exp " +
		"exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma log log10 log1p log2 logb modf " +
		"nextafter pow remainder remquo rint round rsqrt scalbln scalbn sin sinh sinpi sqrt tan tanh tgamma trunc"
	libraryOnce = "abs div feclearexcept fedisableexcept feenableexcept fetestexcept labs ldiv llabs lldiv memcmp memcpy memset rand srand strcmp strcpy strlen strncmp strncpy"
)

// libraryInternal matches the functions that compilers and headers call, such as libstdc++'s in
// debug builds, and the variable that holds the first failed assertion.
var libraryInternal = regexp.MustCompile(`^(__assert_fail|_ZSt21__glibcxx_assert_failPKciS0_S0_|__(mul|div)[sd]c3|__(devicelib|imf|itt_offload)_.*|SPIR_AssertHappenedMem)$`)

var libraryNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(libraryBoth) {
		names[name], names[name+"f"] = true, true
	}
	for name := range strings.FieldsSeq(libraryOnce) {
		names[name] = true
	}
	return names
})

// inDeviceLibrary reports whether DPC++'s device libraries define a symbol.
func inDeviceLibrary(name string) bool {
	return libraryNames()[name] || libraryInternal.MatchString(name)
}
