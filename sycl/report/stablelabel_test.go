package report

import "testing"

func TestStableLabel(t *testing.T) {
	for label, want := range map[string]string{
		"p/k.cpython-311-x86_64-linux-gnu.so":                        "p/k.so",
		"p/k.cpython-313t-aarch64-linux-musl.so":                     "p/k.so",
		"p/k.cpython-36m-darwin.so":                                  "p/k.so",
		"p/k.abi3.so":                                                "p/k.so",
		"p/k.pypy310-pp73-x86_64-linux-gnu.so":                       "p/k.so",
		"p/k.graalpy240-311-native-x86_64-linux.so":                  "p/k.so",
		"p/k.cp312-win_amd64.pyd":                                    "p/k.pyd",
		"p/k_d.cp313t-win_arm64.pyd":                                 "p/k_d.pyd",
		"p/k.cp38-win32.pyd":                                         "p/k.pyd",
		"p/k.cpython-39-x86_64-cygwin.dll":                           "p/k.dll",
		"p.libs/libk-0a1b2c3d.so.1.2":                                "p.libs/libk.so",
		"p.libs/libk-2-0a1b2c3d.so":                                  "p.libs/libk-2.so",
		"p.libs/k-0123456789abcdef0123456789abcdef.dll":              "p.libs/k.dll",
		"p.libs/libm-0a1b2c3d.2.so":                                  "p.libs/libm.2.so",
		"p/libk-0a1b2c3d.so":                                         "p/libk-0a1b2c3d.so", // not a vendored library
		"p.libs/libk-2024.so":                                        "p.libs/libk-2024.so",
		"build/lib.linux-x86_64-cpython-311/p/k.so":                  "build/lib/p/k.so",
		"build/lib.win-amd64-3.9/p/k.pyd":                            "build/lib/p/k.pyd",
		"build/cp311-cp311-linux_x86_64/k.so":                        "build/k.so",
		"cp312/k.abi3.so":                                            "k.so",
		"env/lib/python3.11/site-packages/p/k.cpython-311-darwin.so": "env/lib/python/site-packages/p/k.so",
		"//p:k.cpython-311-x86_64-linux-gnu.so":                      "//p:k.so",
		"libk.so.8.0.0":                                              "libk.so",
		"//demo:kernels":                                             "//demo:kernels",
		"p/cpython-311.so":                                           "p/cpython-311.so",
		"p/copy.cpu.so":                                              "p/copy.cpu.so",
		"":                                                           "",
	} {
		if got := StableLabel(label); got != want || StableLabel(got) != got {
			t.Errorf("%s: got %s, want %s", label, got, want)
		}
	}
}
