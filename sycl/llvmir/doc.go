// Package llvmir reads and edits LLVM IR in its textual form, as llvm-dis and
// clang print it.
//
// A [Module] is a text and the places of its top-level entities: functions,
// variables, aliases, named types, attribute groups, comdats and metadata. An
// edit changes the text of what it is about; all other text goes out byte for
// byte as it came in, so the package depends on little of a language that grows
// with every LLVM release. Words that it does not know are kept where they stand:
// attributes, flags of instructions, fields of metadata. It reads what LLVM 14
// (typed pointers) to 22 print.
//
// Parsing finds the entities and checks the headers of symbols. Bodies of
// functions are split into instructions by [Function.Body] when they are asked
// for, and metadata nodes into operands by [Node.Operands].
// [Module.WriteSubset] writes a module of some of the symbols without reading
// anything again: an index, made once, says what refers to what.
//
// Of the language it takes for granted that outside of strings and comments all
// brackets are balanced, that an entity begins with its name and "=" or with its
// keyword at the start of a line, and that an instruction begins at the start of
// a line, after a label, or with its result's name and "=".
//
// Reading a module is safe for several goroutines at once, editing is not.
//
// The language is defined by LLVM's Language Reference Manual.
package llvmir
