// Package bundle makes files with device images: [Pack] writes the images that file tables list to a
// SYCLBIN, [Wrap] writes assembler source that embeds them in a program, and [Link] combines SYCLBINs.
// The tool packager and syclc++ share it.
package bundle
