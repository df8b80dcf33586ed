// Package testkit provides shared test helpers: files, golden files, compilers, killed programs,
// and invalid inputs. Failures end the test.
package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// WriteFile writes a file, creates its parent directories, and returns its name.
func WriteFile[T string | []byte](t testing.TB, name string, content T) string {
	t.Helper()
	makeDir(t, name)
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Script writes a program that records its arguments in NAME.calls and then runs the shell
// commands. It returns the absolute path.
func Script(t testing.TB, name, commands string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\necho \"$@\" >> " + path + ".calls\n" + commands + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// Link creates a symbolic link and its parent directories.
func Link(t testing.TB, to, name string) {
	t.Helper()
	makeDir(t, name)
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

// Unlistable creates a directory with a directory deep below it that no user can list, because its
// path is longer than the system allows.
func Unlistable(t testing.TB, name string) {
	t.Helper()
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.MkdirAll(strings.Repeat(strings.Repeat("d", 250)+"/", 20), 0o755); err != nil {
		t.Skip("a path longer than the system's limit cannot exist: ", err)
	}
}

func makeDir(t testing.TB, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
}

// ReadFile returns the content of a file.
func ReadFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
