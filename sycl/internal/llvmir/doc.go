// Package llvmir reads and edits textual LLVM IR, as llvm-dis and clang print it.
//
// A [Module] is a text and the places of its top-level entities: functions,
// variables, aliases, named types, attribute groups, comdats and metadata. An
// edit changes the text of what it is about; all other text goes out byte for
// byte as it came in. So the package depends on little of a language that grows
// with every LLVM release. It keeps words that it does not know: attributes, flags
// of instructions, fields of metadata. It reads what LLVM 15 to 22 print, in which
// pointers do not say what they point to.
//
// Parsing finds the entities and checks the headers of symbols. Bodies of
// functions are split into instructions by [Function.Body] when they are asked
// for, and metadata nodes into operands by [Node.Operands].
// [Module.WriteSubset] writes a module of some of the symbols without reading
// anything again: an index, made once, says what refers to what.
//
// The package relies on three things. Outside of strings and comments all brackets
// are balanced. An entity begins with its name and "=", or with its keyword at the
// start of a line. An instruction begins at the start of a line, after a label, or
// with its result's name and "=".
//
// Several goroutines may read a module at once. Only one may edit it, while none reads.
//
// The language is defined by LLVM's Language Reference Manual.
package llvmir
