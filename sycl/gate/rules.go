package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// A Severity is the severity of a finding.
type Severity uint8

const (
	Off     Severity = iota // not reported
	Note                    // listed
	Warning                 // needs attention
	Error                   // fails the gate, unless the policy overrides this
)

var severityNames = []string{Off: "off", Note: "note", Warning: "warning", Error: "error"}

func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("severity %d", uint8(s))
}

// MarshalText implements [encoding.TextMarshaler].
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severityNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown severity %q; expected one of %s", text, strings.Join(severityNames, ", "))
	}
	*s = Severity(i)
	return nil
}

// ParseSeverity parses the name of a severity. "ignore" is an alias of "off".
func ParseSeverity(name string) (Severity, error) {
	var s Severity
	if name == "ignore" {
		name = Off.String()
	}
	err := s.UnmarshalText([]byte(name))
	return s, err
}

// A RuleID identifies a kind of finding. Rule names and their meanings are stable.
type RuleID = compat.Rule

// Rules about missing device features use the ids of package compat.
const (
	Undetermined       RuleID = "undetermined"
	UnknownReason      RuleID = "unknown-reason"
	CoverageLost       RuleID = "coverage-lost"
	KernelLost         RuleID = "kernel-lost"
	ReportInvalid      RuleID = "report-invalid"
	SuppressionExpired RuleID = "suppression-expired"
	SuppressionStale   RuleID = "suppression-stale"
	DeviceDataChanged  RuleID = "device-data-changed"
	NotCompared        RuleID = "not-compared"
	PolicyWeakened     RuleID = "policy-weakened"
)

// A Rule describes a kind of finding.
type Rule struct {
	ID      RuleID
	Level   Severity // the maximum, by default
	Short   string   // what is wrong, as a sentence
	Long    string   // why it matters and how to fix it
	Next    string   // the first thing to do, as a sentence with code in `backquotes`; {required} is replaced with the kernel's requirement
	Detail  string   // the key under "detail" in a policy, or ""
	Finding bool     // whether policies can set its level and allow it
}

// Rules returns all rules in alphabetical order.
func Rules() []Rule { return slices.Clone(rules) }

// LookupRule returns the rule with the given id.
func LookupRule(id RuleID) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

var rules = []Rule{
	{ID: compat.CompileTargetMismatch, Level: Error, Finding: true, Detail: "compile-target",
		Short: "The code was compiled ahead of time for a different device.",
		Next:  "add the device, or `spir64`, to the targets of the build",
		Long: `The file has native code, but not for this device. Add the device to the targets of the build, or add a target
such as spir64, whose code is compiled when the program runs.`},
	{ID: CoverageLost, Level: Error, Finding: true,
		Short: "A device or a report is no longer checked.",
		Next:  "add the device or the report to the check; if it was removed intentionally, remove it from the policy and the baseline",
		Long: `A device that the policy requires is missing from all reports, or a report or a device of the baseline or of
the base branch is missing. A check of the remaining reports could pass only because of that. Add the device
to the report (--devices of "compat report", devices of sycl_compat_report) or the report to the check. If it
was removed intentionally, remove the device from the policy and update the baseline. A report is not required
for a supported device. A device name that neither the reports nor the built-in data contain is a warning,
because it is probably misspelled.`},
	{ID: DeviceDataChanged, Level: Warning,
		Short: "The data of a device has changed since the baseline was made.",
		Long: `Findings that are new only on devices whose data changed are probably not caused by the change under review.
They do not fail a check for new findings. Review them and update the baseline ("compat baseline update"), so
that later changes count.`},
	{ID: compat.FixedTargetMismatch, Level: Error, Finding: true, Detail: "fixed-targets",
		Short: "The kernel was compiled with -fsycl-fixed-targets for other devices.",
		Next:  "add the device to `-fsycl-fixed-targets` (`fixed_targets` in BUILD files), or remove the option",
		Long: `-fsycl-fixed-targets promises that kernels are submitted only to the devices that it lists. Add the device to
the list, or remove the option if you do not need it.`},
	{ID: KernelLost, Level: Warning, Finding: true,
		Short: "A kernel of the base branch is missing from all reports.",
		Next:  "rebuild the kernel, or ignore this if you removed it on purpose",
		Long: `The kernel was deleted, or is no longer built. If that is intended, no action is needed. A renamed kernel is
listed only in the summary, if the new name is unambiguous. Policies can make a lost kernel an error. The
check finds lost kernels only if it gets reports of the base branch.`},
	{ID: compat.MissingAspect, Level: Error, Finding: true, Detail: "aspect",
		Short: "The kernel needs an aspect that the device does not have.",
		Next:  "use a different type or function, or submit a different kernel if `device::has(aspect::{required})` is false",
		Long: `The runtime rejects the kernel on the device: with errc::kernel_not_supported when it is submitted, or with
errc::invalid when a program requests it from a SYCLBIN. The report names the function that needs the aspect,
if known. double needs fp64 and sycl::half needs fp16, often because of a literal such as 1.0 or a call to a
function in std. Use another type, or write a second kernel and choose between them with device::has(); name
both as a family in the policy.`},
	{ID: compat.MissingSPIRVExtension, Level: Error, Finding: true, Detail: "extension",
		Short: "The code uses a SPIR-V capability or extension that the device's compiler does not support.",
		Next:  "write an alternative kernel without it in a different source, and select a kernel by device",
		Long: `A measured table (sycl/deviceconfig/spirv.tsv) lists the capabilities and extensions that ocloc accepts for
each Intel GPU, and that Intel's CPU device accepts. For example, Data Center GPU Max does not support images; Xe-LP, Data Center GPU Max and
Crescent Island do not support bindless images; and Xe-LP does not support ray queries. The compiler rejects
the whole module. Move the kernel to a different source, so that it is in a different module, and choose by
device; or build it for other targets. If ocloc could not compile the test module of a feature, findings have
the rule undetermined. .ci/spirv-features --compare prints what a different release of ocloc accepts.`},
	{ID: compat.NoImage, Level: Error, Finding: true,
		Short: "There is no code for the device.",
		Next:  "add the device, or `spir64`, to the targets of the build",
		Long: `The file does not contain a device image with the kernel that the device can run: neither native code nor code
that is compiled when the program runs. Add the device, or spir64, to the targets of the build.`},
	{ID: NotCompared, Level: Warning,
		Short: "The policy or the baseline was not compared with the base branch.",
		Long: `Without the comparison, a change can weaken the policy without being noticed (policy-weakened). The message
states the cause and the fix, for example to fetch the commit that the change is based on, or to pass the
files of the base branch (--base-policy and --base-baseline of "compat check"). A file that cannot be read is
never treated as missing. With "compare-with-base: required" in the policy, the flags or the inputs of the
action, the check fails.`},
	{ID: PolicyWeakened, Level: Note,
		Short: "The policy or the baseline is weaker than on the base branch.",
		Long: `A change can hide its own failures by editing the policy, the baseline or the data of a device that the policy
requires. This finding shows reviewers what to look at; it does not fail the check, with one exception below.
Name owners of these files (CODEOWNERS). With "policy-ref: base", the action uses the policy, the baseline and
the device configuration of the base branch. Reports that claim more features for a required device than the
base branch then fail, because the base branch does not confirm these features.`},
	{ID: ReportInvalid, Level: Error, Finding: true,
		Short: "Reports contradict each other or have no status.",
		Next:  "create all reports from one build with one device configuration, with a different label (`--name`) for each target",
		Long: `Two reports on the same target give different statuses or describe a device differently, or the reports
contain no status at all. Create all reports from the same build with the same device configuration, and give
different targets different labels (--name of "compat report"). The worst status counts.`},
	{ID: SuppressionExpired, Level: Warning,
		Short: "An entry of the allow list has expired or soon will.",
		Long: `The date in "expires" has passed, in UTC, so the findings are reported again. Fix them or agree on a later
date. A note appears two weeks before the date.`},
	{ID: SuppressionStale, Level: Warning,
		Short: "An entry of the policy or the baseline matches nothing.",
		Long: `The problem is solved, or the entry is misspelled. Remove it; otherwise it hides the problem if the problem
returns. "compat baseline prune" removes such entries from a baseline.`},
	{ID: Undetermined, Level: Error, Finding: true, Detail: "required",
		Short: "Whether the kernel runs on the device is known only when the program runs.",
		Next:  "describe the device in a device configuration file, or set `undetermined` in the policy",
		Long: `The device configuration does not say enough: the device may have aspects that are not listed, or its limits
are unknown. Describe your devices in a device configuration file, or set the severity with "undetermined" in
the policy.`},
	{ID: UnknownReason, Level: Error, Finding: true,
		Short: "The report has a reason that this version does not support.",
		Next:  "check the report with the version of compat that wrote it",
		Long:  `The report was created by a newer version. Check it with that version.`},
	{ID: compat.UnsupportedAssembly, Level: Error, Finding: true, Detail: "assembly",
		Short: "The kernel has inline assembly that the device does not support.",
		Next:  "write an alternative kernel without inline assembly in a different source, and select a kernel by device",
		Long: `Inline assembly for Intel GPUs is vISA. Memory accesses through the load-store cache (lsc_*), add3 and bfn
need Xe-HPG or newer. nbarrier needs Xe-HPC, or Xe2 or newer. dpas needs a GPU with matrix engines, with 8
channels on Xe-HPG and 16 on Xe-HPC and Xe2 or newer. The compiler for any other device rejects the whole
module. Write a kernel without these instructions in a different source, so that it is in a different module,
and choose by device; name both as a family in the policy. If an instruction is not in the table, or the text
names one of the compiler's own variables, such as V6, the rule is undetermined, because only the device's
compiler can tell. Code that is compiled ahead of time for the device is compatible.`},
	{ID: compat.UnsupportedExtension, Level: Error, Finding: true, Detail: "extension",
		Short: "The code uses a SPIR-V extension that the device's compiler rejects.",
		Next:  "remove the property that the message names; if the compiler is old, rebuild the code with a current one",
		Long: `Kernel properties become SPIR-V extensions that some devices reject: Intel's CPU device rejects fp_control and
max_work_group_size. The compiler rejects the whole module. Remove the property, or choose a kernel without it
by device. Other extensions come from old compilers and need drivers of the same age. Whether a system has
such a driver is unknown, so findings have the rule undetermined. Recompile the source with a current
compiler. For a library without source, use a newer release.`},
	{ID: compat.UnsupportedIntrinsic, Level: Error, Finding: true, Detail: "intrinsic",
		Short: "The kernel uses explicit SIMD intrinsics that the device does not support.",
		Next:  "write an alternative kernel without these intrinsics in a different source, and select a kernel by device",
		Long: `The device's compiler rejects the whole module, both ahead of time and at run time. Accesses through the
load-store cache (lsc_block_load, lsc_gather, and block_load and others with cache hints) need an Intel GPU
with Xe-HPG or newer. Blocks of 512 bytes and named barriers need Xe-HPC, or Xe2 or newer; two blocks of 256
bytes also work on Xe-HPG. xmx::dpas needs a GPU with matrix engines. For other devices, write a kernel with
block_load, gather and atomic_update without cache hints in a different source, so that it is in a different
module, and choose by device; name both as a family in the policy. Or remove the device from the targets.`},
	{ID: compat.UnsupportedJointMatrix, Level: Error, Finding: true, Detail: "joint-matrix",
		Short: "The kernel uses matrices of a type or size that the device does not support.",
		Next:  "query `matrix_combinations` of the device, and select a kernel by the result",
		Long: `Devices support different combinations of types and sizes. Query them with
ext::oneapi::experimental::info::device::matrix_combinations, and choose a kernel by the result; name the
kernels as a family in the policy.`},
	{ID: compat.UnsupportedLocalMemory, Level: Error, Finding: true, Detail: "bytes",
		Short: "The kernel declares more local memory than the device has.",
		Next:  "declare smaller arrays in local memory, or select their size by device",
		Long: `ocloc compiles the kernel, but launching it fails. Only local memory that the kernel declares counts. Local
accessors, whose size the program chooses, are not included. The limit is local-memory-size in the device
configuration.`},
	{ID: compat.UnsupportedOption, Level: Error, Finding: true, Detail: "option",
		Short: "The image has an option that the device's compiler does not support.",
		Next:  "build the SPIR-V image without the option",
		Long: `A program stores the options that the runtime passes when it compiles and links SPIR-V (compile-options,
link-options). Intel's CPU compiler rejects unknown options, and then no kernel of the image runs. DPC++
stores options of -Xs with every image, even options for native code, such as -device pvc: pass them for the
native target only, as in -Xsycl-target-backend=spir64_gen. The property grf_size<256> has the same effect,
because the runtime adds -ze-opt-large-register-file: write a kernel without the property for CPUs. syclc++
and the Bazel rules do not store options for native code with SPIR-V.`},
	{ID: compat.UnsupportedParameterSize, Level: Error, Finding: true, Detail: "bytes",
		Short: "The parameters of the kernel are larger than the device supports.",
		Next:  "capture a pointer to the data instead of the data",
		Long: `Intel GPUs support 2048 bytes of parameters. Small members of captured structs and arrays take 4 bytes of
registers each, so 960 bytes of char are too many on Xe-LP, Arc A and Meteor Lake, and 1984 bytes on Data
Center GPU Max. Build with -ze-opt-large-register-file, or capture a pointer. The compiler rejects the module,
both ahead of time and at run time. In explicit SIMD kernels, members take their own size.`},
	{ID: compat.UnsupportedSubGroupSize, Level: Error, Finding: true, Detail: "sub-group-size",
		Short: "The device does not support the sub-group size that the kernel requires.",
		Next:  "use a size that the device supports in `[[sycl::reqd_sub_group_size(N)]]`, or remove the attribute",
		Long: `Use a different size in [[sycl::reqd_sub_group_size(N)]], write a kernel for each size, or remove the attribute if
any size works.`},
	{ID: compat.UnsupportedWorkGroupDims, Level: Error, Finding: true, Detail: "work-group-dims",
		Short: "The required work-group size has a different number of dimensions than the kernel.",
		Next:  "give `[[sycl::reqd_work_group_size]]` as many sizes as the range of the kernel has dimensions",
		Long:  `Give [[sycl::reqd_work_group_size]] as many sizes as the range of the kernel has dimensions, at most three.`},
	{ID: compat.UnsupportedWorkGroupSize, Level: Error, Finding: true, Detail: "work-group-size",
		Short: "The required work-group size exceeds the device's limit.",
		Next:  "use a smaller size in `[[sycl::reqd_work_group_size]]`",
		Long: `One of the sizes, or their product, exceeds a limit of the device. Use a smaller size in
[[sycl::reqd_work_group_size]], or write a kernel for each device.`},
}
