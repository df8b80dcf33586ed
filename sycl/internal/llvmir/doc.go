// Package llvmir reads and edits textual LLVM IR in the form that llvm-dis and clang print.
//
// A [Module] is a text with the positions of its top-level entities: functions, variables, aliases,
// named types, attribute groups, comdats and metadata. An edit changes only the text of an entity;
// all other text is written byte for byte as it was read. So the package depends on only a small
// part of a language that grows with every LLVM release. It preserves unknown attributes,
// instruction flags and metadata fields. It reads the output of LLVM 15 to 22 with opaque pointers.
//
// Parsing finds the entities and checks the headers of symbols. On demand, [Function.Body] splits
// function bodies into instructions, and [Node.Operands] splits metadata nodes into operands.
// [Module.WriteSubset] writes a module of some of the symbols without parsing again: it uses an
// index of references, which is built once.
//
// The package makes three assumptions. Outside of strings and comments all brackets are balanced.
// An entity begins with its name and "=", or with its keyword at the start of a line. An
// instruction begins at the start of a line, after a label, or with the name of its result and "=".
//
// A module is safe for concurrent reads by multiple goroutines. Edits require exclusive access.
//
// LLVM's Language Reference Manual defines the language.
package llvmir
