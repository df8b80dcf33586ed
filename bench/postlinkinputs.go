package main

import (
	"bufio"
	"fmt"
	"io"
)

// A shape holds the size parameters of a module.
type shape struct {
	kernels int
	body    int // approximate number of instructions of a kernel
}

// Other contents of modules.
const (
	perSource    = 10 // kernels per source
	helpers      = 40 // functions that kernels share
	helperBody   = 80 // approximate number of their instructions
	helpersUsed  = 4  // helpers that one kernel calls
	localsOfBody = 6  // local variables of a function
)

// A generator writes the text of a linked module: sources with kernels that share functions, all
// compiled with -g, like output of DPC++'s front end.
type generator struct {
	*bufio.Writer
	shape
	node     int // number of the next metadata node
	metadata []string
}

// generate writes a module.
func generate(w io.Writer, s shape) error {
	g := &generator{Writer: bufio.NewWriterSize(w, 1<<20), shape: s}
	g.module()
	return g.Flush()
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(g, format+"\n", args...) }

// add adds a metadata node and returns its number.
func (g *generator) add(format string, args ...any) int {
	g.metadata = append(g.metadata, fmt.Sprintf("!%d = %s", g.node, fmt.Sprintf(format, args...)))
	g.node++
	return g.node - 1
}

func kernelName(i int) string {
	name := fmt.Sprintf("Kernel%06d", i)
	return fmt.Sprintf("_ZTS%d%s", len(name), name)
}

func helperName(i int) string {
	name := fmt.Sprintf("helper%d", i)
	return fmt.Sprintf("_Z%d%sPU3AS1ff", len(name), name)
}

// A source holds the data that the functions of one source share.
type source struct {
	number             int
	name               string
	unit, file         int
	signature, pointer int // types
	float              int
}

func (g *generator) source(i int) source {
	s := source{number: i, name: fmt.Sprintf("src/source%03d.cpp", i)}
	s.file = g.add(`!DIFile(filename: "%s", directory: "/src/project", checksumkind: CSK_MD5, checksum: "%032x")`, s.name, i)
	global := g.node + 2
	list := g.add("!{!%d}", global)
	s.unit = g.add(`distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !%d, producer: "clang version 21.1.8", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, globals: !%d, splitDebugInlining: false, nameTableKind: None)`, s.file, list)
	g.add("!DIGlobalVariableExpression(var: !%d, expr: !DIExpression())", global+1)
	g.add(`distinct !DIGlobalVariable(name: "table%d", linkageName: "_ZL6table%[1]d", scope: !%d, file: !%d, line: 3, type: !%d, isLocal: true, isDefinition: true)`, i, s.unit, s.file, global+2)
	s.float = g.add(`!DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)`)
	s.pointer = g.add("!DIDerivedType(tag: DW_TAG_pointer_type, baseType: !%d, size: 64)", s.float)
	types := g.add("!{null, !%d, !%d}", s.pointer, s.float)
	s.signature = g.add("!DISubroutineType(types: !%d)", types)
	g.line("@_ZL6table%d = internal addrspace(1) constant [4 x float] [float 1.000000e+00, float 2.000000e+00, float 4.000000e+00, float %d.000000e+00], align 4, !dbg !%d", i, i, global)
	return s
}

func (g *generator) module() {
	g.line("; ModuleID = 'linked.bc'")
	g.line(`source_filename = "llvm-link"`)
	g.line(`target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"`)
	g.line("target triple = \"spirv64-unknown-unknown\"\n")
	g.line("%%class.accessor = type { ptr addrspace(1), i64, i64 }\n")

	flags := []int{g.add(`!{i32 7, !"Dwarf Version", i32 4}`), g.add(`!{i32 2, !"Debug Info Version", i32 3}`)}
	fp64, atomic64, fp16 := g.add(`!{!"fp64", i32 6}`), g.add(`!{!"atomic64", i32 28}`), g.add(`!{!"fp16", i32 5}`)
	// Lists of aspects; -1 means no aspects.
	aspects := []int{-1, -1, g.add("!{i32 6}"), g.add("!{i32 28}"), g.add("!{i32 5, i32 6}")}

	sources := make([]source, (g.kernels+perSource-1)/perSource)
	for i := range sources {
		sources[i] = g.source(i)
	}
	for i := range helpers {
		s := &sources[i%len(sources)]
		g.function(helperName(i), "define linkonce_odr hidden spir_func void", fmt.Sprint("helper", i), s, helperBody, "#0", "", nil, i)
	}
	for i := range g.kernels {
		s := &sources[i/perSource]
		metadata := ""
		if a := aspects[i%len(aspects)]; a >= 0 {
			metadata += fmt.Sprintf(" !sycl_used_aspects !%d", a)
		}
		if i%7 == 0 {
			metadata += fmt.Sprintf(" !intel_reqd_sub_group_size !%d", g.add("!{i32 %d}", 8<<(i%3)))
		}
		if i%11 == 0 {
			metadata += fmt.Sprintf(" !reqd_work_group_size !%d", g.add("!{i64 1, i64 1, i64 %d}", 32<<(i%3)))
		}
		calls := make([]string, helpersUsed)
		for k := range calls {
			calls[k] = helperName((i*3 + k*k + k) % helpers)
		}
		g.function(kernelName(i), "define weak_odr dso_local spir_kernel void", fmt.Sprintf("operator()<%d>", i), s, g.body, fmt.Sprint("#", 2+i/perSource), metadata, calls, i)
	}
	g.line("\ndeclare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32) #1")
	g.line("\nattributes #0 = { convergent mustprogress norecurse nounwind \"frame-pointer\"=\"all\" \"no-trapping-math\"=\"true\" }")
	g.line("attributes #1 = { nounwind willreturn memory(none) }")
	for i, s := range sources {
		g.line("attributes #%d = { convergent mustprogress norecurse nounwind \"frame-pointer\"=\"all\" \"no-trapping-math\"=\"true\" \"sycl-module-id\"=\"%s\" \"sycl-optlevel\"=\"2\" \"uniform-work-group-size\"=\"true\" }", 2+i, s.name)
	}
	g.line("")
	g.WriteString("!llvm.dbg.cu = !{")
	for i, s := range sources {
		if i > 0 {
			g.WriteString(", ")
		}
		fmt.Fprintf(g, "!%d", s.unit)
	}
	g.line("}\n!llvm.module.flags = !{!%d, !%d}", flags[0], flags[1])
	g.line("!sycl_aspects = !{!%d, !%d, !%d}\n", fp64, atomic64, fp16)
	for _, text := range g.metadata {
		g.line("%s", text)
	}
}

// function writes a function whose instructions all have a source location.
func (g *generator) function(symbol, head, name string, s *source, length int, group, metadata string, calls []string, seed int) {
	program := g.add(`distinct !DISubprogram(name: "%s", linkageName: "%s", scope: !%d, file: !%d, line: %d, type: !%d, scopeLine: %[5]d, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !%[7]d)`,
		name, symbol, s.file, s.file, 10+seed, s.signature, s.unit)
	block := g.add("distinct !DILexicalBlock(scope: !%d, file: !%d, line: %d, column: 5)", program, s.file, 11+seed)
	var locals [localsOfBody]int
	for i := range locals {
		locals[i] = g.add(`!DILocalVariable(name: "v%d", scope: !%d, file: !%d, line: %d, type: !%d)`, i, block, s.file, 12+i, s.float)
	}
	places := 0
	place := func() int {
		places++
		scope := program
		if places%3 > 0 {
			scope = block
		}
		return g.add("!DILocation(line: %d, column: %d, scope: !%d)", 12+seed+places/3, 3+places%40, scope)
	}
	g.line("\n%s @%s(ptr addrspace(1) noundef align 4 %%p, float noundef %%x0) %s !dbg !%d%s {", head, symbol, group, program, metadata)
	at := place()
	g.line("entry:\n  %%id = tail call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0) #1, !dbg !%d", at)
	g.line("  %%a0 = getelementptr inbounds nuw float, ptr addrspace(1) %%p, i64 %%id, !dbg !%d", at)
	last := 0
	branches := 0
	for i := 1; i < length; i++ {
		if i%2 == 0 {
			at = place()
		}
		next := last + 1
		switch {
		case calls != nil && i%(length/len(calls)) == length/len(calls)/2:
			g.line("  call spir_func void @%s(ptr addrspace(1) noundef align 4 %%a0, float noundef %%x%d) #0, !dbg !%d", calls[i*len(calls)/length], last, at)
			continue
		case i%40 == 0:
			branches++
			g.line("  %%c%d = fcmp olt float %%x%d, 0x40%X0000000000000, !dbg !%d", branches, last, 16+(i+seed)%200, at)
			g.line("  br i1 %%c%d, label %%then%[1]d, label %%next%[1]d, !dbg !%[2]d\n", branches, at)
			g.line("then%d:                                            ; preds = %%entry", branches)
			g.line("  store float %%x%d, ptr addrspace(1) %%a0, align 4, !dbg !%d", last, at)
			g.line("  br label %%next%d, !dbg !%d\n\nnext%[1]d:", branches, at)
			continue
		case i%10 == 3:
			g.line("  %%a%d = getelementptr inbounds nuw float, ptr addrspace(1) %%p, i64 %d, !dbg !%d", i, i+seed, at)
			g.line("  %%x%d = load float, ptr addrspace(1) %%a%d, align 4, !dbg !%d", next, i, at)
		case i%10 == 7:
			g.line("  %%x%d = load float, ptr addrspace(1) getelementptr inbounds nuw (i8, ptr addrspace(1) @_ZL6table%d, i64 %d), align 4, !dbg !%d", next, s.number, i%4*4, at)
		case i%25 == 5:
			g.line("    #dbg_value(float %%x%d, !%d, !DIExpression(), !%d)", last, locals[i%len(locals)], at)
			continue
		case i%3 == 0:
			g.line("  %%x%d = fmul reassoc nsz arcp contract afn float %%x%d, 0x40%X0000000000000, !dbg !%d", next, last, 16+(i*7+seed)%200, at)
		default:
			g.line("  %%x%d = fadd reassoc nsz arcp contract afn float %%x%d, %%x%d, !dbg !%d", next, last, max(last-1, 0), at)
		}
		last = next
	}
	g.line("  store float %%x%d, ptr addrspace(1) %%a0, align 4, !dbg !%d\n  ret void, !dbg !%d\n}", last, at, place())
}
