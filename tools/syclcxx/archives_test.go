package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestLinkedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name := range strings.FieldsSeq("main.o d/libf.a d/libg.a d/libg.so e/libh.a env/libe.a libc.a root/usr/local/lib/libi.a root/usr/lib/libi.a root/lib/x86_64-linux-gnu/libj.so") {
		testkit.WriteFile(t, name, "")
	}
	testkit.WriteFile(t, "inputs.args", "d/libf.a\n-Le -lh")
	testkit.WriteFile(t, "s/libs.so", "/* GNU ld script */\nOUTPUT_FORMAT(elf64-x86-64)\nGROUP ( f2.a AS_NEEDED ( -lh ) )\nINPUT(\"libf.a\", libs.so)\n")
	testkit.WriteFile(t, "s/f2.a", "")
	testkit.WriteFile(t, "all.ld", "INPUT(d/libf.a e/libh.a missing.a)")
	testkit.WriteFile(t, "sections.ld", "SECTIONS { .text : { *(.text) KEEP(*(.init)) } }")
	testkit.WriteFile(t, "main.ld", "INPUT(main.ld all.ld)")
	t.Setenv("LIBRARY_PATH", "env")
	for _, c := range []struct{ line, want string }{
		{"main.o d/libf.a", "main.o d/libf.a"},
		{"main.o -Ld -lf", "main.o d/libf.a"},
		{"main.o -L d -l f", "main.o d/libf.a"},
		{"main.o -lf -Ld", "main.o d/libf.a"},
		{"main.o -lf", "main.o"},
		{"main.o -Ld -lg", "main.o"},
		{"main.o -Ld -l:libg.a", "main.o d/libg.a"},
		{"main.o -Ld -lg -static", "main.o d/libg.a"},
		{"main.o -Ld -Wl,-Bstatic -lg -Wl,-Bdynamic -lf", "main.o d/libg.a d/libf.a"},
		{"main.o -Ld -Wl,--push-state,-Bstatic,-lg -Wl,--pop-state -lg", "main.o d/libg.a"},
		{"main.o -Ld -Wl,--push-state,-Bstatic -Wl,--pop-state -lg", "main.o"},
		{"main.o -le", "main.o env/libe.a"},
		{"main.o -li -lj --sysroot=root", "main.o root/usr/local/lib/libi.a"},
		{"main.o -li --sysroot=root -B root/usr/lib", "main.o root/usr/lib/libi.a"},
		{"main.o -Wl,--whole-archive,d/libf.a -Wl,--no-whole-archive", "main.o d/libf.a(whole)"},
		{"main.o -Wl,-whole-archive d/libf.a -Wl,-no-whole-archive e/libh.a", "main.o d/libf.a(whole) e/libh.a"},
		{"main.o -Wl,--push-state,--whole-archive d/libf.a -Wl,--pop-state e/libh.a", "main.o d/libf.a(whole) e/libh.a"},
		{"main.o d/libf.a -Wl,--whole-archive -Ld -lf", "main.o d/libf.a(whole)"},
		{"-Wl,--start-lib,libc.a,main.o,--end-lib main.o", "libc.a(lib) main.o"},
		{"main.o -Wl,--start-group,d/libf.a,e/libh.a,--end-group", "main.o d/libf.a e/libh.a"},
		{"main.o -Xlinker d/libf.a -Xlinker -rpath -Xlinker /x", "main.o d/libf.a"},
		{"main.o -Wl,-rpath,/x,-soname,y,-z,now -z relro", "main.o"},
		{"main.o -Wl,-L,e -Wl,-l,h", "main.o e/libh.a"},
		{"main.o -Wl,-Le,--library=h", "main.o e/libh.a"},
		{"main.o -L. -lc ./libc.a -lc", "main.o libc.a"},
		{"main.o -Wl,-l", "main.o"},
		{"main.o -Wl,@inputs.args", "main.o d/libf.a e/libh.a"},
		{"main.o -Xlinker @inputs.args", "main.o d/libf.a e/libh.a"},
		{"main.o -Wl,@missing", "main.o @missing"},
		{"main.o -Ls -Ld -Le -ls", "main.o s/f2.a e/libh.a d/libf.a"},
		{"main.o all.ld", "main.o d/libf.a e/libh.a"},
		{"main.o sections.ld", "main.o"},
		{"main.o main.ld", "main.o d/libf.a e/libh.a"},
	} {
		line := testkit.Must(parseLine(strings.Fields(c.line)))(t)
		var got []string
		files, _ := (&compiler{line: line}).linkedFiles(line.Words)
		for _, file := range files {
			text := file.path
			if file.whole {
				text += "(whole)"
			}
			if file.lib {
				text += "(lib)"
			}
			got = append(got, text)
		}
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", c.line, got, want)
		}
	}
}

// member returns an archive member: its header and, if the content is in the archive, the content.
func member(name string, size int, content string) string {
	text := fmt.Sprintf("%-16s%-12s%-6s%-6s%-8s%-10d`\n", name, "0", "0", "0", "644", size) + content
	return text + strings.Repeat("\n", len(content)%2)
}

func TestMembers(t *testing.T) {
	archive := archiveMagic + member("/", 3, "sym") + member("//", 19, "a very long name/\n\n") + member("odd.o/", 3, "abc") + member("/0", 4, "defg") + member("last.o/", 1, "h")
	var got []string
	err := members(strings.NewReader(archive), false, func(name string, member io.ReaderAt) error {
		text, err := io.ReadAll(io.NewSectionReader(member, 0, 100))
		got = append(got, name+": "+string(text))
		return err
	})
	if want := []string{"odd.o: abc", "a very long name: defg", "last.o: h"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestThinMembers(t *testing.T) {
	names := "sub/a long name.o/\n/abs/b.o/\n"
	good := thinMagic + member("/", 3, "sym") + member("//", len(names), names) + member("c.o/", 100, "") + member("/0", 200, "") + member("/19", 300, "")
	for name, c := range map[string]struct{ archive, want string }{
		"all":                {good, "lib/c.o lib/sub/a long name.o /abs/b.o"},
		"cut":                {good[:len(good)-30], "lib/c.o lib/sub/a long name.o"},
		"no names":           {thinMagic + member("/0", 1, ""), ""},
		"names beyond":       {thinMagic + member("//", 4, "a/\nb") + member("/9", 1, ""), ""},
		"negative":           {thinMagic + member("//", -4, "") + member("a.o/", 1, ""), ""},
		"huge":               {thinMagic + member("//", 1<<40, "x") + member("a.o/", 1, ""), ""},
		"empty name":         {thinMagic + member("/", 0, "") + member("", 1, ""), ""},
		"only symbols, big":  {thinMagic + member("/SYM64/", 5, "12345") + member("a.o/", 1, ""), "lib/a.o"},
		"a header that ends": {thinMagic + "a.o/", ""},
	} {
		var got []string
		err := thinMembers(strings.NewReader(c.archive), "lib", func(path string) error {
			got = append(got, path)
			return nil
		})
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func FuzzThinMembers(f *testing.F) {
	f.Add(thinMagic + member("//", 4, "a/\nb") + member("/0", 1, ""))
	f.Fuzz(func(t *testing.T, archive string) {
		n := 0
		err := thinMembers(strings.NewReader(archive), "lib", func(string) error {
			n++
			return nil
		})
		if err != nil || n > len(archive)/memberHeader {
			t.Errorf("%d members of %d bytes, %v", n, len(archive), err)
		}
	})
}

// TestThinArchive checks that the device code of the files that a thin archive lists is read.
func TestThinArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "lib/libx.a", thinMagic+member("a.o/", 10, "")+member("missing.o/", 10, ""))
	testkit.WriteFile(t, "lib/a.o", "no object")
	if object, err := readObject(linkedFile{path: "lib/libx.a"}, libsycl); err != nil || len(object.code) != 0 {
		t.Errorf("%+v, %v", object, err)
	}
	testkit.NoError(t, os.Remove("lib/a.o"))
	if _, err := readObject(linkedFile{path: "lib/libx.a"}, libsycl); err != nil {
		t.Error(err)
	}
	err := thinMembers(strings.NewReader(thinMagic+member("a.o/", 1, "")), ".", func(string) error { return io.ErrUnexpectedEOF })
	if err != io.ErrUnexpectedEOF {
		t.Errorf("the error of a member is lost: %v", err)
	}
}
