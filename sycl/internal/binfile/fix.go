package binfile

// Fixes for a file that cannot be read, for error messages.
const (
	// Cut is for truncated files.
	Cut = "the file is truncated; copy, build or download it again ('git lfs pull' for Git LFS)"
	// Damaged is for all other errors.
	Damaged = "the file is damaged or from an unsupported compiler; rebuild or download it again"
	// Unsupported is for known but unsupported formats.
	Unsupported = "a newer version of this tool may read it"
)
