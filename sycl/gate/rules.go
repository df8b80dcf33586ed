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
		return fmt.Errorf("%q is not a severity: expected one of %s", text, strings.Join(severityNames, ", "))
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
type RuleID string

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
	{ID: RuleID(compat.CompileTargetMismatch), Level: Error, Finding: true, Detail: "compile-target",
		Short: "The code was compiled ahead of time for another device.",
		Next:  "add the device, or `spir64`, to the targets of the build",
		Long: `There is native code, but none for this device. Add the device to the targets of the build, or add a target such
as spir64 whose code is compiled when the program runs.`},
	{ID: CoverageLost, Level: Error, Finding: true,
		Short: "A device or a report is no longer checked.",
		Next:  "add the device or the report to the check; if it was removed intentionally, remove it from the policy and the baseline",
		Long: `A device that the policy requires is in no report, or a report or a device of the baseline or of the base branch is
missing. A gate that looks only at the rest would pass for the wrong reason. Put the device back into the report
(--devices of "compat report", devices of sycl_compat_report) or the report back into the check. If it is gone for good, take
the device out of the policy and refresh the baseline. A supported device needs no report, but a name that neither the reports
nor the built-in data have is a warning, because it is probably misspelled.`},
	{ID: DeviceDataChanged, Level: Warning,
		Short: "The data of a device has changed since the baseline was made.",
		Long: `Findings that are new only on devices whose data changed are probably not caused by the change under review. They do
not fail a gate that looks for new ones. Check them and refresh the baseline ("compat baseline update"), so that the next
ones count.`},
	{ID: RuleID(compat.FixedTargetMismatch), Level: Error, Finding: true, Detail: "fixed-targets",
		Short: "The kernel was compiled with -fsycl-fixed-targets for other devices.",
		Next:  "add the device to `-fsycl-fixed-targets` (`fixed_targets` in BUILD files), or remove the option",
		Long: `-fsycl-fixed-targets promises that kernels are submitted to the devices it lists and to no others. Add the device to
the list, or remove the option where it is not needed.`},
	{ID: KernelLost, Level: Warning, Finding: true,
		Short: "A kernel of the base branch is in no report.",
		Next:  "build the kernel again; if it is gone on purpose, there is nothing to do",
		Long: `The kernel was deleted, or is no longer built. One that has another name is in the summary only, when no other kernel can
be meant. If that is intended, there is nothing to do. Policies can make it an error. The gate finds it only when it has reports of the
base branch.`},
	{ID: RuleID(compat.MissingAspect), Level: Error, Finding: true, Detail: "aspect",
		Short: "The kernel needs an aspect that the device does not have.",
		Next:  "use another type or function, or submit another kernel where `device::has(aspect::{required})` is false",
		Long: `The runtime refuses the kernel on the device: with errc::kernel_not_supported when it is submitted, with errc::invalid
when a program asks for it in a SYCLBIN. The report names the function that needs the aspect if it is known. double needs
fp64 and sycl::half needs fp16, often because of a literal such as 1.0 or a call of a function of std. Use another type, or
write a second kernel and choose with device::has(); name both as a family in the policy.`},
	{ID: RuleID(compat.MissingSPIRVExtension), Level: Error, Finding: true, Detail: "extension",
		Short: "The code uses a capability or extension of SPIR-V that the compiler for the device does not support.",
		Next:  "write a kernel without it in another source, and choose by the device",
		Long: `compat knows from a measured table (sycl/deviceconfig/spirv.tsv) which capabilities and extensions ocloc accepts for each Intel
GPU: images are not supported on Data Center GPU Max, bindless images not on Xe-LP, Data Center GPU Max and Crescent Island, and ray
queries not on Xe-LP. The compiler refuses the whole module. Put the kernel into another source, so that it is another module,
and choose by the device; or build it for other targets. If ocloc could not compile the module of a row, findings are of the
rule undetermined. .ci/spirv-features --compare prints what another release of ocloc accepts.`},
	{ID: RuleID(compat.NoImage), Level: Error, Finding: true,
		Short: "There is no code for the device.",
		Next:  "add the device, or `spir64`, to the targets of the build",
		Long: `The file has no device image with the kernel that the device can run: neither native code nor code that is compiled when
the program runs. Add the device, or spir64, to the targets of the build.`},
	{ID: NotCompared, Level: Warning,
		Short: "The policy or the baseline was not compared with the base branch.",
		Long: `Without the comparison, nobody sees whether a change asks for less than before (policy-weakened). The message says why there is
none, and what to do: fetch the commit that the change is based on, for example, or give the files of the base branch
(--base-policy and --base-baseline of "compat check"). What cannot be read is never taken for absent. With
"compare-with-base: required" in the policy, the flags or the inputs of the action, this fails.`},
	{ID: PolicyWeakened, Level: Note,
		Short: "The policy or the baseline asks for less than that of the base branch.",
		Long: `A change can make its own failures disappear when it edits the policy, the baseline or what is known of a device that
the policy requires. It shows reviewers what to look at and is no failure, but for one case. Name owners of these files
(CODEOWNERS). "policy-ref: base" of the action checks by the policy, the baseline and the device configuration of the base
branch. Then reports fail that say more of a required device than the base branch does: its data cannot decide on them.`},
	{ID: ReportInvalid, Level: Error, Finding: true,
		Short: "Reports contradict each other or have no status.",
		Next:  "make all reports from one build with one device configuration, and give different targets different labels (`--name`)",
		Long: `Two reports about the same target give different statuses or describe a device differently, or no report has a
status at all. Make all reports from the same build with the same device configuration, and give different targets
different labels (--name of "compat report"). The worst status counts.`},
	{ID: SuppressionExpired, Level: Warning,
		Short: "An entry of the allow list has expired or soon will.",
		Long: `The day of "expires" is over, in UTC, so the findings are back. Fix them or agree on a later day. There is a note two
weeks before.`},
	{ID: SuppressionStale, Level: Warning,
		Short: "An entry of the policy or the baseline matches nothing.",
		Long: `The problem is solved, or the entry is misspelt. Remove it: otherwise it hides the problem when that comes back.
"compat baseline prune" removes such entries of a baseline.`},
	{ID: Undetermined, Level: Error, Finding: true, Detail: "required",
		Short: "Whether the kernel runs on the device is known only when the program runs.",
		Next:  "describe the device in a device configuration file, or set `undetermined` in the policy",
		Long: `What is known of the device is not enough: it may have aspects that are not listed, or its limits are not known. Put
the properties of your devices into a device configuration file, or set its severity with "undetermined" in the policy.`},
	{ID: UnknownReason, Level: Error, Finding: true,
		Short: "The report has a reason that this version does not support.",
		Next:  "check the report with the version that made it",
		Long:  `The report was made by a newer version. Check it with that version.`},
	{ID: RuleID(compat.UnsupportedAssembly), Level: Error, Finding: true, Detail: "assembly",
		Short: "The kernel has inline assembly that the device does not have.",
		Next:  "write a kernel without inline assembly in another source, and choose by the device",
		Long: `Inline assembly for Intel GPUs is vISA. Memory accesses by the load-store cache (lsc_*), add3 and bfn are for Intel GPUs
from Xe-HPG on, nbarrier for Xe-HPC and GPUs from Xe2 on, and dpas for GPUs with matrix engines: with 8 channels on Xe-HPG, with 16 on
Xe-HPC and from Xe2 on. The compiler for another device refuses the whole module. Write a kernel without them, in another source so
that it is another module, and choose by the device; name both as a family in the policy. If an instruction is not in the
table, or the text names one of the compiler's own variables, such as V6, the rule is undetermined: only the device's compiler can
tell. Code that is compiled ahead of time for the device is compatible.`},
	{ID: RuleID(compat.UnsupportedExtension), Level: Error, Finding: true, Detail: "extension",
		Short: "The code uses an extension of SPIR-V that the compiler for the device refuses.",
		Next:  "remove the property that the text names; for code of an old compiler, compile it with a current one",
		Long: `Properties of kernels become extensions that not every device takes: Intel's CPU device takes neither fp_control nor
max_work_group_size. The compiler refuses the whole module. Leave the property out, or choose a kernel without it by the device.
Other extensions are of old compilers, for drivers of their time. Whether a machine still has such a driver is not known, so
that findings are of the rule undetermined. Compile the source again with a current compiler. For a library without source,
take a newer release of it.`},
	{ID: RuleID(compat.UnsupportedIntrinsic), Level: Error, Finding: true, Detail: "intrinsic",
		Short: "The kernel uses intrinsics of explicit SIMD that the device does not have.",
		Next:  "write a kernel without these intrinsics in another source, and choose by the device",
		Long: `The compiler for the device refuses the whole module, ahead of time and when the program runs. Accesses by the
load-store cache (lsc_block_load, lsc_gather, and block_load and others with cache hints) are for Intel GPUs from Xe-HPG on.
Blocks of 512 bytes and named barriers are for Xe-HPC and GPUs from Xe2 on: two blocks of 256 bytes are for Xe-HPG as well.
xmx::dpas is for GPUs with matrix engines. For other devices write a
kernel with block_load, gather and atomic_update without cache hints, in another source so that it is another module, and
choose by the device; name both as a family in the policy. Or remove the device from the targets.`},
	{ID: RuleID(compat.UnsupportedJointMatrix), Level: Error, Finding: true, Detail: "joint-matrix",
		Short: "The kernel uses matrices of a type or size that the device does not have.",
		Next:  "ask the device for its `matrix_combinations`, and choose among kernels",
		Long: `The combinations of types and sizes differ between devices. Ask the device for them
(ext::oneapi::experimental::info::device::matrix_combinations) and choose among kernels; name these as a family in the policy.`},
	{ID: RuleID(compat.UnsupportedLocalMemory), Level: Error, Finding: true, Detail: "bytes",
		Short: "The kernel declares more local memory than the device has.",
		Next:  "declare smaller arrays in local memory, or choose their size by the device",
		Long: `ocloc compiles the kernel, and its launch fails. The sizes count local memory that the kernel declares; local accessors, whose
size the program chooses, are not included. A device configuration has the size as local-mem-size.`},
	{ID: RuleID(compat.UnsupportedOption), Level: Error, Finding: true, Detail: "option",
		Short: "The image has an option that the compiler for the device does not support.",
		Next:  "build the SPIR-V image without the option",
		Long: `A program stores the options that the runtime compiles and links its SPIR-V with (compile-options, link-options). Intel's CPU
compiler rejects options that it does not know, and no kernel of the image runs. DPC++ stores options of -Xs with every image, even
those for native code, such as -device pvc: write them for the native target, as in -Xsycl-target-backend=spir64_gen. The property
grf_size<256> has the same effect: the runtime adds -ze-opt-large-register-file. Write a kernel without the property for CPUs.
syclc++ and the rules of Bazel store no options for native code with SPIR-V.`},
	{ID: RuleID(compat.UnsupportedParameterSize), Level: Error, Finding: true, Detail: "bytes",
		Short: "The parameters of the kernel are larger than the device supports.",
		Next:  "capture a pointer to the data instead of the data",
		Long: `Intel GPUs support 2048 bytes of parameters. Small members of captured structs and arrays take 4 bytes of registers each, so that
960 bytes of char are too many on Xe-LP, Arc A and Meteor Lake, and 1984 on Data Center GPU Max: build with
-ze-opt-large-register-file, or capture a pointer. The compiler refuses the module, ahead of time and when the program runs.`},
	{ID: RuleID(compat.UnsupportedSubGroupSize), Level: Error, Finding: true, Detail: "sub-group-size",
		Short: "The device does not have the sub-group size that the kernel requires.",
		Next:  "use a size that the device has in `[[sycl::reqd_sub_group_size(N)]]`, or remove the attribute",
		Long: `Use another size in [[sycl::reqd_sub_group_size(N)]], write a kernel for each size, or remove the attribute where any
size is good.`},
	{ID: RuleID(compat.UnsupportedWorkGroupDims), Level: Error, Finding: true, Detail: "work-group-dims",
		Short: "The required work-group size has a different number of dimensions than the kernel.",
		Next:  "give `[[sycl::reqd_work_group_size]]` as many sizes as the range of the kernel has dimensions",
		Long:  `Give [[sycl::reqd_work_group_size]] as many sizes as the range of the kernel has dimensions, at most three.`},
	{ID: RuleID(compat.UnsupportedWorkGroupSize), Level: Error, Finding: true, Detail: "work-group-size",
		Short: "The required work-group size exceeds the device's limit.",
		Next:  "use a smaller size in `[[sycl::reqd_work_group_size]]`",
		Long: `The product of the sizes or one of them is above a limit of the device. Use a smaller size in
[[sycl::reqd_work_group_size]], or write a kernel for each.`},
}
