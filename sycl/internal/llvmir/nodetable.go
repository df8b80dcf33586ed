package llvmir

import "math"

// A nodeTable maps metadata nodes to items, using a slice for dense numbers and a map for sparse
// ones.
type nodeTable struct {
	dense  []uint32 // item + 1
	sparse map[uint32]uint32
	count  int // of nodes, which limits the length of dense
	max    int // one more than the largest number
	low    int // all smaller numbers are in use; advanced if max is too large
}

// free returns an unused node number.
func (t *nodeTable) free() int {
	if t.max <= math.MaxInt32 {
		return t.max
	}
	for ; ; t.low++ {
		if _, taken := t.find(uint32(t.low)); !taken {
			return t.low
		}
	}
}

func (t *nodeTable) find(id uint32) (uint32, bool) {
	if int64(id) < int64(len(t.dense)) {
		at := t.dense[id]
		return at - 1, at != 0
	}
	at, ok := t.sparse[id]
	return at, ok
}

func (t *nodeTable) add(id, item uint32) {
	t.max = max(t.max, int(id)+1)
	t.count++
	n := len(t.dense)
	switch {
	case int64(id) < int64(n):
		t.dense[id] = item + 1
	case int64(id) < 2*int64(t.count)+1024:
		for len(t.dense) <= int(id) {
			t.dense = append(t.dense, 0)
		}
		t.dense[id] = item + 1
		if len(t.sparse) > 0 {
			for at := n; at < len(t.dense); at++ {
				if item, ok := t.sparse[uint32(at)]; ok {
					t.dense[at] = item + 1
					delete(t.sparse, uint32(at))
				}
			}
		}
	default:
		if t.sparse == nil {
			t.sparse = map[uint32]uint32{}
		}
		t.sparse[id] = item
	}
}
