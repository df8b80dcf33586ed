package hostwrap

import (
	"regexp"
	"strings"
)

// ofKernels matches a part of a header that is only about kernels.
var ofKernels = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\s+`,
	`//.*\n`,
	`#include <sycl/(?:detail/defines_elementary|detail/kernel_desc|ext/oneapi/experimental/free_function_traits|access/access)\.hpp>\n`,
	`#ifndef SYCL_LANGUAGE_VERSION\n#define SYCL_LANGUAGE_VERSION \d+L\n#endif.*\n`,
	`(?:inline )?namespace [\w:]* \{`,
	`\}`,
	`(?:template <.*> ?)?(?:class|struct|union|enum)\b[^{}()\n]*;\n`, // declarations of classes that name kernels
	`static constexpr\nconst char\* const kernel_names\[\] = \{[^}]*\};\n`,
	`static constexpr unsigned kernel_args_sizes\[\] = \{[^}]*\};\n`,
	`static constexpr\nconst kernel_param_desc_t kernel_signatures\[\] = \{\n(?:.+\n|\n)*?\};\n`,
	`template <> struct KernelInfo(?:Data)?<.*> \{\n(?:.+\n)*?\};\n`,
}, "|") + `)`)

// HasNonKernelData reports whether the integration header and the footer of a source contain more
// than the host code needs to find its kernels, such as the names of specialization constants.
// Unknown text counts as more.
func HasNonKernelData(header, footer string) bool {
	if strings.TrimSpace(footer) != "" {
		return true
	}
	for header != "" {
		n := len(ofKernels.FindString(header))
		if n == 0 {
			return true
		}
		header = header[n:]
	}
	return false
}
