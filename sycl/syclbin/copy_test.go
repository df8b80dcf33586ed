package syclbin

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// copier is an image that counts its CopyTo calls. CopyTo omits the last lost bytes.
type copier struct {
	*strings.Reader
	copied *int
	lost   int
}

func (c copier) CopyTo(w io.Writer, _ []byte) (int64, error) {
	*c.copied++
	text := make([]byte, c.Size()-int64(c.lost))
	if _, err := c.ReadAt(text, 0); err != nil {
		return 0, err
	}
	n, err := w.Write(text)
	return int64(n), err
}

func TestImagesUseCopyTo(t *testing.T) {
	file := func(lost int, copied *int) *File {
		native := copier{strings.NewReader("native code"), copied, lost}
		return &File{State: Executable, Modules: []*Module{
			{IR: []*Image{NewIR(SPIRV, "spir64-unknown-unknown", strings.NewReader(spirvHead))}, Native: []*Image{NewNative("a", "", native), NewNative("b", "", native)}},
		}}
	}
	plain := &File{State: Executable, Modules: []*Module{
		{IR: []*Image{NewIR(SPIRV, "spir64-unknown-unknown", strings.NewReader(spirvHead))}, Native: []*Image{
			NewNative("a", "", strings.NewReader("native code")), NewNative("b", "", strings.NewReader("native code"))}},
	}}
	for _, o := range []Options{{Bare: true}, {Container: 1}, {}, {Version: 2}} {
		copied := 0
		if got := write(t, file(0, &copied), o); !bytes.Equal(got, write(t, plain, o)) || copied != 2 {
			t.Errorf("%+v: %d images used CopyTo, or the file differs", o, copied)
		}
		testkit.Fails(t, Write(io.Discard, file(3, &copied), o), "ended after 8 of its 11 bytes")
	}
}
