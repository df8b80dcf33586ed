package main

import (
	"fmt"
	"slices"
	"strings"
)

// unifiedDiff returns a patch from one text to another, "" when they are equal.
func unifiedDiff(path, before, after string) string {
	if before == after {
		return ""
	}
	a, b := splitLines(before), splitLines(after)
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", path, path)
	for _, h := range hunks(diffLines(a, b)) {
		h.write(&out, a, b)
	}
	return out.String()
}

func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }

// A step is a line that both texts have (' '), the first ('-') or the second
// ('+'), and the indexes of the next line of each before it.
type step struct {
	kind byte
	a, b int
}

// diffLines returns the steps from one list of lines to another. When what
// differs is large, it is one block.
func diffLines(a, b []string) (steps []step) {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	n, m := endA-start, endB-start
	// The longest common subsequence of what is left from each pair of lines on.
	const most = 4_000_000
	var common []int32
	if (n+1)*(m+1) <= most {
		common = make([]int32, (n+1)*(m+1))
		for i := n - 1; i >= 0; i-- {
			for j := m - 1; j >= 0; j-- {
				if a[start+i] == b[start+j] {
					common[i*(m+1)+j] = common[(i+1)*(m+1)+j+1] + 1
				} else {
					common[i*(m+1)+j] = max(common[(i+1)*(m+1)+j], common[i*(m+1)+j+1])
				}
			}
		}
	}
	for i := range start {
		steps = append(steps, step{' ', i, i})
	}
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case common != nil && i < n && j < m && a[start+i] == b[start+j]:
			steps = append(steps, step{' ', start + i, start + j})
			i, j = i+1, j+1
		case i < n && (j == m || common == nil || common[(i+1)*(m+1)+j] >= common[i*(m+1)+j+1]):
			steps = append(steps, step{'-', start + i, start + j})
			i++
		default:
			steps = append(steps, step{'+', start + i, start + j})
			j++
		}
	}
	for i := endA; i < len(a); i++ {
		steps = append(steps, step{' ', i, endB + i - endA})
	}
	return steps
}

// A hunk is steps with what is around them.
type hunk []step

// hunks divides steps where more than twice the lines of the surroundings are
// the same.
func hunks(steps []step) (list []hunk) {
	const around = 3
	first, last := -1, -1
	flush := func() {
		if first >= 0 {
			list = append(list, hunk(steps[max(0, first-around):min(len(steps), last+1+around)]))
		}
	}
	for i, s := range steps {
		if s.kind == ' ' {
			continue
		}
		if first >= 0 && i-last > 2*around {
			flush()
			first = -1
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	flush()
	return list
}

func (h hunk) write(out *strings.Builder, a, b []string) {
	inA, inB := 0, 0
	for _, s := range h {
		if s.kind != '+' {
			inA++
		}
		if s.kind != '-' {
			inB++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", lineRange(h[0].a, inA), lineRange(h[0].b, inB))
	for _, s := range h {
		line := ""
		if s.kind == '+' {
			line = b[s.b]
		} else {
			line = a[s.a]
		}
		out.WriteByte(s.kind)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lineRange writes where lines begin and how many there are. Of no lines it is
// the line before them.
func lineRange(start, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, n)
}
