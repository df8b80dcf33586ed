package lint

import (
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// foreign lists constructions that read as translated, with the replacement. The first group
// contains the match that the message quotes. CONTRIBUTING.md explains the voice.
var foreign = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)(?:^|[^e] )((?:is|are) none)\b`), "not a valid X"}, // but "there is none" is fine
	{regexp.MustCompile(`(?i)\b((?:is|are|has|have|not|as|like|with) (?:that|those) of)\b`), "repeat the noun"},
	{regexp.MustCompile(`(?i)\b(without a word)\b`), "silently"},
	{regexp.MustCompile(`(?i)(, as (?:it|they|this|that|these|those|there)\b)`), "start a sentence, or use because"},
	{regexp.MustCompile(`(?i)\b(folders?)\b`), "directory"},
	{regexp.MustCompile(`(?i)\b(remed(?:y|ies))\b`), "fix"},
	{regexp.MustCompile(`(?i)\b(is tried|are tried|was tried|were tried|tried with)\b`), "tested"},
	{regexp.MustCompile(`(?i)\b(anew)\b`), "again, re-"},
	{regexp.MustCompile(`(?i)\b(no such)\b`), "unknown, not found"},
	{regexp.MustCompile(`(?i)\b((?:is|are|occurs?) (?:there )?twice)\b`), "duplicate"},
	{regexp.MustCompile(`(?i)\b(in place of)\b`), "instead of"},
	{regexp.MustCompile(`\b((?:GPUs?|CPUs?|devices?|drivers?) of (?:Intel|NVIDIA|AMD))\b`), "an Intel GPU"},
	{regexp.MustCompile(`(?i)\b((?:is|are) what)\b`), "say what the thing is"},
	{regexp.MustCompile(`(?i)\b(says? (?:of|so)|says nothing|knows? (?:no|nothing|of)|takes? (?:no|nothing|none)\b)`), "name the action"},
	{regexp.MustCompile(`(?i)\b(le(?:ave|ft) (?:it )?out)\b`), "remove, omit"},
	{regexp.MustCompile(`(?i)\b((?:is|was|are|were) cut)\b`), "is truncated"},
	{regexp.MustCompile(`(?:^|[.:;] )(Where (?:the|a|an|it|there|nothing|no)\b)`), "if or when"},
	{regexp.MustCompile(`(?i)\b((?:goes|go) with)\b`), "requires"},
	{regexp.MustCompile(`(?i)\b(whoever|somebody|whose is)\b`), "you, or the program"},
	{regexp.MustCompile(`(?i)\b(is (?:there|missing) (?:for|where|when))\b`), "say what happens"},
	{regexp.MustCompile(`(?i)\b(can be no|there can be|there is no (?:file|name|directory|option|value|device|kernel) )`), "missing X, cannot X"},
}

// voiced lists the trees that TestProse checks.
var voiced = []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", ".ci", "action", "bench", "docs", "e2e", "examples", "internal", "rules", "sycl", "tools"}

// TestProse checks that prose contains neither the constructions in foreign nor sentences of more
// than 45 words. It reads Markdown outside of code, and the comments and messages of Go, Starlark,
// C and C++, except in generated files.
func TestProse(t *testing.T) {
	files(t, func(path string) bool {
		for _, tree := range voiced {
			if path == tree || strings.HasPrefix(path, tree+"/") {
				return textOf[filepath.Ext(path)] != nil && !strings.Contains(path, ".gen.") && path != "tools/lint/prose_test.go"
			}
		}
		return false
	}, func(t *testing.T, path string, data []byte) {
		if first, _, _ := strings.Cut(string(data), "\n"); strings.Contains(first, "do not edit") {
			return // the texts are in the source of the generator
		}
		for _, text := range textOf[filepath.Ext(path)](path, data) {
			for _, f := range foreign {
				if m := f.pattern.FindStringSubmatch(text.words); m != nil {
					t.Errorf("%s:%d: %q; write %s:\n\t%s", path, text.line, m[1], f.instead, text.words)
				}
			}
			if n := longestSentence(text.words); n > 45 {
				t.Errorf("%s:%d: a sentence of %d words (limit 45):\n\t%s", path, text.line, n, text.words)
			}
		}
	})
}

// passage is a paragraph, comment or message, and the line where it starts.
type passage struct {
	line  int
	words string
}

// textOf maps the extension of a file to the function that returns its prose.
var textOf = map[string]func(path string, data []byte) []passage{
	".md": markdownText, ".go": goText, ".bzl": scriptText,
	".c": cText, ".h": cText, ".cpp": cText, ".hpp": cText,
}

// markdownText returns paragraphs, headings, list items and table cells.
func markdownText(_ string, data []byte) []passage {
	var passages []passage
	open, fenced := false, false
	for i, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "```"):
			fenced, open = !fenced, false
		case fenced, text == "", strings.HasPrefix(text, "<"), strings.HasPrefix(text, "!["):
			open = false
		case strings.HasPrefix(text, "|"):
			for cell := range strings.SplitSeq(text, "|") {
				passages = append(passages, passage{i + 1, plain(cell)})
			}
			open = false
		case open && !strings.HasPrefix(text, "#") && !bullet.MatchString(text):
			passages[len(passages)-1].words += " " + plain(text)
		default:
			passages = append(passages, passage{i + 1, plain(text)})
			open = !strings.HasPrefix(text, "#")
		}
	}
	return passages
}

var (
	bullet = regexp.MustCompile(`^(?:[-*+]|\d+\.) `)
	code   = regexp.MustCompile("`[^`]*`")
	target = regexp.MustCompile(`\]\([^)]*\)`)
)

// plain replaces code in text and removes the targets of links.
func plain(text string) string {
	return target.ReplaceAllString(code.ReplaceAllString(text, "`x`"), "]")
}

// goText returns the comments of a Go file and, except in tests, its string literals with a space.
// Comments on consecutive lines are one passage, except list items, code and comments that follow
// code on a line.
func goText(path string, data []byte) []passage {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile(path, -1, len(data))
	s.Init(file, data, nil, scanner.ScanComments)
	var passages []passage
	last := -2
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return passages
		}
		line := file.Line(pos)
		start := file.Offset(file.LineStart(line))
		isTrailing := strings.TrimSpace(string(data[start:file.Offset(pos)])) != ""
		switch {
		case kind == token.COMMENT && !strings.HasPrefix(literal, "//go:"):
			words := plain(strings.TrimSpace(strings.Trim(literal, "/*")))
			isItem := isTrailing || strings.HasPrefix(literal, "//\t") || strings.HasPrefix(words, "- ")
			if line == last+1 && !isItem && words != "" && passages[len(passages)-1].words != "" {
				passages[len(passages)-1].words += " " + words
			} else {
				passages = append(passages, passage{line, words})
			}
			if !isTrailing {
				last = line
			}
		case kind == token.STRING && !strings.HasSuffix(path, "_test.go"):
			if words, err := strconv.Unquote(literal); err == nil && strings.Contains(words, " ") {
				for i, part := range strings.Split(words, "\n") {
					passages = append(passages, passage{line + i, plain(part)})
				}
			}
		}
	}
}

var (
	scriptPiece = regexp.MustCompile(`"""(?s:.*?)"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*`)
	cPiece      = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"`)
)

func scriptText(_ string, data []byte) []passage { return pieces(scriptPiece, data) }

func cText(_ string, data []byte) []passage { return pieces(cPiece, data) }

// pieces returns the lines of the matches of pattern that contain a space. Comments on consecutive
// lines are one passage.
func pieces(pattern *regexp.Regexp, data []byte) []passage {
	var passages []passage
	last := -2
	for _, at := range pattern.FindAllIndex(data, -1) {
		piece := string(data[at[0]:at[1]])
		line := 1 + strings.Count(string(data[:at[0]]), "\n")
		comment := piece[0] != '"'
		for i, words := range strings.Split(strings.Trim(piece, "\"#/*"), "\n") {
			words = plain(strings.TrimSpace(words))
			switch {
			case !strings.Contains(words, " "):
			case comment && line == last+1 && i == 0:
				passages[len(passages)-1].words += " " + words
			default:
				passages = append(passages, passage{line + i, words})
			}
		}
		if comment && len(passages) > 0 {
			last = line
		}
	}
	return passages
}

var sentenceEnd = regexp.MustCompile(`[.:;?!](?: |$)`)

// longestSentence returns the number of words of the longest sentence in text.
func longestSentence(text string) int {
	longest := 0
	for _, sentence := range sentenceEnd.Split(text, -1) {
		longest = max(longest, len(strings.Fields(sentence)))
	}
	return longest
}
