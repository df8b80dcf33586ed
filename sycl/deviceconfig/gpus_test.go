package deviceconfig

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestTargetsNamed(t *testing.T) {
	for _, test := range []struct {
		name string
		want string // targets without intel_gpu_
		kind NameKind
	}{
		{"arc-a770", "acm_g10", ProductName},
		{"Arc A770", "acm_g10", ProductName},
		{"Intel(R) Arc(TM) A770 Graphics", "acm_g10", ProductName},
		{"a770m", "acm_g10", ProductName},
		{"A380", "acm_g11", ProductName},
		{"a50", "acm_g11", ProductName},
		{"B580", "bmg_g21", ProductName},
		{"arc_pro_b70", "bmg_g31", ProductName},
		{"max-1550", "pvc", ProductName},
		{"data center gpu flex 170", "acm_g10", ProductName},
		{"lunar-lake", "lnl_m", ProductName},
		{"meteor lake", "mtl_h mtl_u", ProductName},
		{"max", "dg1 pvc pvc_vg", ProductName},
		{"UHD 770", "adl_s", ProductName},
		{"0x56a0", "acm_g10", TargetName},
		{"0xE20B", "bmg_g21", TargetName},
		{"0x0bd5", "pvc", TargetName},
		{"pvc", "pvc", TargetName},
		{"acm-g10", "acm_g10", TargetName},
		{"ACM_G12", "acm_g12", TargetName},
		{"ats-m150", "acm_g10", TargetName},
		{"rpl-s", "adl_s", TargetName},
		{"12.60.7", "pvc", TargetName},
		{"20.1.0", "bmg_g21", TargetName},
		{"20.1.4", "bmg_g21", TargetName},
		{"30.5.0", "nvl_u", TargetName},
		{"bmg", "bmg_g21 bmg_g31", GroupName},
		{"dg2", "acm_g10 acm_g11 acm_g12", GroupName},
		{"xe-lpg", "mtl_h mtl_u", GroupName},
		{"xe3-lpg", "nvl_s nvl_u ptl_h ptl_u wcl", GroupName},
		{"12.60.0", "", UnknownName}, // a stepping
		{"0x9999", "", UnknownName},
		{"a7", "", UnknownName},
		{"graphics", "", UnknownName},
		{"", "", UnknownName},
		{"sm_80", "", UnknownName},
	} {
		targets, kind := TargetsNamed(test.name)
		got := strings.ReplaceAll(strings.Join(targets, " "), intelGPU, "")
		if got != test.want || kind != test.kind {
			t.Errorf("%q: %q, kind %d; want %q, kind %d", test.name, got, kind, test.want, test.kind)
		}
	}
}

func TestCodeTarget(t *testing.T) {
	for label, want := range map[string]string{
		"12.60.7": "intel_gpu_pvc", "12.55.8": "intel_gpu_acm_g10", "bmg": "intel_gpu_bmg", "dg2": "intel_gpu_dg2", "lnl": "intel_gpu_lnl_m",
		"arl": "intel_gpu_arl_h", "skl": "intel_gpu_skl", "9.0.9": "intel_gpu_skl", "ats-m75": "intel_gpu_acm_g11",
	} {
		if got, known := CodeTarget(label); got != want || !known {
			t.Errorf("%s: %s, %t; want %s", label, got, known, want)
		}
	}
	for label, want := range map[string]string{"12.70.0": "intel_gpu_12_70_0", "99.1.2": "intel_gpu_99_1_2", "new-gpu": "intel_gpu_new_gpu"} {
		if got, known := CodeTarget(label); got != want || known {
			t.Errorf("%s: %s, %t; want %s, unknown", label, got, known, want)
		}
	}
}

func TestConfigVersion(t *testing.T) {
	for config, want := range map[uint32]string{0x030dc008: "12.55.8", 0x030f0007: "12.60.7", 0x05004000: "20.1.0", 0x08c2c000: "35.11.0", 0xffffffff: "1023.255.16383"} {
		if got := ConfigVersion(config); got != want {
			t.Errorf("%#x: %s, want %s", config, got, want)
		}
	}
}

func TestFamilies(t *testing.T) {
	config := Default()
	for family, group := range gpus().families {
		if _, ok := config.Lookup(intelGPU + family); !ok {
			t.Errorf("%s is not a target", family)
		}
		for _, member := range FamilyMembers(intelGPU + family) {
			if _, ok := config.Lookup(member); !ok {
				t.Errorf("member %s of %s is not a target", member, family)
			}
		}
		if got := FamilyOfCode(group.Members[0]); got != intelGPU+family {
			t.Errorf("family of code of %s: %q", group.Members[0], got)
		}
	}
	if got := FamilyMembers("intel_gpu_pvc"); got != nil {
		t.Errorf("members of intel_gpu_pvc: %v", got)
	}
	for release, members := range gpus().releases {
		for _, member := range members {
			if _, ok := config.Lookup(member); !ok {
				t.Errorf("%s of %s is not a target", member, release)
			}
		}
	}
}

func TestDisplayName(t *testing.T) {
	for target, want := range map[string]string{"intel_gpu_acm_g10": "Arc A770 (acm_g10)", "intel_gpu_12_60_7": "Data Center GPU Max 1550 (pvc)",
		"intel_gpu_bmg": "intel_gpu_bmg", "spir64": "spir64"} {
		if got := DisplayName(target); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

// TestOclocNames compares versions, families and releases with ocloc.
func TestOclocNames(t *testing.T) {
	ocloc := testkit.Program(t, "ocloc")
	ids := func(name string) []string {
		out, err := exec.CommandContext(context.Background(), ocloc, "ids", name).CombinedOutput()
		if err != nil {
			t.Errorf("ocloc ids %s: %v: %s", name, err, out)
		}
		return strings.Fields(strings.ReplaceAll(string(out), "Matched ids:", ""))
	}
	g := gpus()
	for acronym, target := range g.acronyms {
		if got := ids(acronym); len(got) != 1 || g.versions[got[0]] != target {
			t.Errorf("%s: versions %q, but the table has %s", acronym, got, target)
		}
	}
	for family, group := range g.families {
		if got := ids(family); len(got) != 1 || g.versions[got[0]] != group.Members[0] {
			t.Errorf("%s: versions %q, but the table has %s", family, got, group.Members[0])
		}
	}
	for release, want := range g.releases {
		var got []string
		for _, version := range ids(release) {
			if target, ok := g.versions[version]; ok {
				got = append(got, target)
			}
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, but the table has %q", release, got, want)
		}
	}
}
