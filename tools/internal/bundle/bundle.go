// Package bundle writes files that contain device images. [Pack] packs the images in file tables
// into a SYCLBIN, [Wrap] writes assembler source that embeds them in a program, and [Link] combines
// SYCLBINs. It is used by packager and syclc++.
package bundle
