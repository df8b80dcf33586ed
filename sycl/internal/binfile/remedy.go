package binfile

// What people do about a file that cannot be read, for errors.
const (
	// Cut is for files that end before what they say they have.
	Cut = "the file is cut short: copy, build or download it again, with 'git lfs pull' when it is in Git LFS"
	// Damaged is for all other faults.
	Damaged = "the file is damaged, or of a compiler that is not known: build or download it again"
	// Unsupported is for what is known and not read.
	Unsupported = "a newer version of this tool may read it"
)
