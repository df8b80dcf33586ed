package binfile

// Fixes for a file that cannot be read, for error messages.
const (
	// Cut is for truncated files.
	Cut = "the file is cut short: copy, build or download it again, with 'git lfs pull' when it is in Git LFS"
	// Damaged is for all other errors.
	Damaged = "the file is damaged, or of a compiler that is not known: build or download it again"
	// Unsupported is for known but unsupported formats.
	Unsupported = "a newer version of this tool may read it"
)
