package report

import (
	"iter"
	"slices"
)

// chunks is a list that grows without being copied: while a slice of a large report grows,
// there is the old one beside the new one.
type chunks[T any] struct {
	list [][]T // all but the last have chunkLen elements
	n    int
}

const (
	chunkBits = 10
	chunkLen  = 1 << chunkBits
)

func (c *chunks[T]) at(i int) *T { return &c.list[i>>chunkBits][i&(chunkLen-1)] }

func (c *chunks[T]) append(v T) {
	i := c.n >> chunkBits
	if i == len(c.list) {
		var chunk []T // the first one grows, for small reports
		if i > 0 {
			chunk = make([]T, 0, chunkLen)
		}
		c.list = append(c.list, chunk)
	}
	c.list[i] = append(c.list[i], v)
	c.n++
}

// all returns the elements in their order.
func (c *chunks[T]) all() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range c.n {
			if !yield(i, c.at(i)) {
				return
			}
		}
	}
}

// emptied returns an empty list in the same memory.
func (c *chunks[T]) emptied() chunks[T] {
	for i := range c.list {
		c.list[i] = c.list[i][:0]
	}
	return chunks[T]{list: c.list}
}

// shared returns the list in the same memory. Each of the two may become longer, but
// what both have must not change.
func (c *chunks[T]) shared() chunks[T] {
	out := chunks[T]{list: slices.Clone(c.list), n: c.n}
	for i, chunk := range out.list {
		out.list[i] = slices.Clip(chunk)
	}
	return out
}
