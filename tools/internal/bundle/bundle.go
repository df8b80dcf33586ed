// Package bundle writes files with device images: [Pack] writes the images that file tables list to a
// SYCLBIN, [Wrap] writes assembler source that embeds them in a program, and [Link] combines SYCLBINs. It is
// used by packager and syclc++.
package bundle
