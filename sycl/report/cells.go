package report

import (
	"encoding/binary"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
)

// Cells is a list of cells. Nearly all of a large report are its cells, and they repeat
// each other: so a cell takes 8 bytes, and what cells say is kept once.
type Cells struct {
	kernels, devices []string // ids
	order            []position
	list             []storedCell
	outcomes         []outcomeOf
	images           []string // ids

	index *cellIndex
}

// A storedCell has indexes: of Cells.outcomes, and of Cells.images plus 1 or 0 for none.
type storedCell struct{ outcome, image uint32 }

// A position has indexes of Cells.kernels and Cells.devices.
type position struct{ kernel, device uint32 }

// An outcomeOf is a cell without kernel, device and image. The name of the kernel is cut
// out of the text of the reason with that index, at the offset: [compat.NoImage] has it.
type outcomeOf struct {
	Cell
	reason, offset int // reason is -1 when nothing is cut out
}

// cellIndex finds what is there already.
type cellIndex struct {
	outcomes         map[string]uint32
	shared           map[sharedKey]uint32
	images           map[string]uint32
	kernels, devices map[string]uint32 // when the order is not the usual one
	key              []byte
}

// A sharedKey tells outcomes apart whose reasons are in the same memory.
type sharedKey struct {
	reasons *Reason
	n       int
	code    Code
	scope   Scope
	verdict compat.Verdict
}

// MakeCells returns a list of these cells.
func MakeCells(list ...Cell) Cells {
	var c Cells
	for i := range list {
		c.Append(&list[i])
	}
	return c
}

// Len returns the number of cells.
func (c *Cells) Len() int { return len(c.list) }

// At returns a cell.
func (c *Cells) At(i int) Cell {
	var cell Cell
	c.get(i, &cell)
	return cell
}

// All returns the cells and their indexes. A cell is valid until the next one is taken.
func (c *Cells) All() iter.Seq2[int, *Cell] {
	return func(yield func(int, *Cell) bool) {
		var cell Cell
		for i := range c.list {
			c.get(i, &cell)
			if !yield(i, &cell) {
				return
			}
		}
	}
}

// Outcome returns a number below [Cells.Outcomes]. Cells with the same number say the
// same: they differ in kernel, device and image alone, and in the name of the kernel in
// texts of reasons.
func (c *Cells) Outcome(i int) int { return int(c.list[i].outcome) }

// Outcomes returns how many outcomes the cells have.
func (c *Cells) Outcomes() int { return len(c.outcomes) }

func (c *Cells) get(i int, to *Cell) {
	stored, at := c.list[i], c.position(i)
	o := &c.outcomes[stored.outcome]
	*to = o.Cell
	to.Kernel, to.Device = c.kernels[at.kernel], c.devices[at.device]
	if stored.image > 0 {
		to.Image = c.images[stored.image-1]
	}
	if o.reason >= 0 {
		to.Reasons = slices.Clone(o.Reasons)
		text := &to.Reasons[o.reason].Text
		*text = (*text)[:o.offset] + kernelOf(to.Kernel) + (*text)[o.offset:]
	}
}

// about returns the ids of the kernel and the device that a cell is about.
func (c *Cells) about(i int) (kernel, device string) {
	at := c.position(i)
	return c.kernels[at.kernel], c.devices[at.device]
}

// position returns which kernel and device a cell is about. In the usual order each
// kernel has one cell for each device, in the same order.
func (c *Cells) position(i int) position {
	if c.order != nil {
		return c.order[i]
	}
	n := len(c.devices)
	return position{uint32(i / n), uint32(i % n)}
}

// kernelOf returns the name of a kernel as texts of reasons have it.
func kernelOf(id string) string { return id[strings.LastIndexByte(id, '#')+1:] }

// Append adds a cell at the end.
func (c *Cells) Append(cell *Cell) {
	c.locate(cell)
	c.list = append(c.list, c.store(cell))
}

// Set replaces a cell by another one about the same kernel and device.
func (c *Cells) Set(i int, cell *Cell) { c.list[i] = c.store(cell) }

// grow makes room for more cells.
func (c *Cells) grow(n int) { c.list = slices.Grow(c.list, n) }

// emptied returns an empty list in the same memory.
func (c *Cells) emptied() Cells {
	clear(c.kernels) // they may be long
	clear(c.outcomes)
	return Cells{kernels: c.kernels[:0], devices: c.devices[:0], list: c.list[:0], outcomes: c.outcomes[:0], images: c.images[:0]}
}

// find returns the index, which is made when it is missing.
func (c *Cells) find() *cellIndex {
	if c.index == nil {
		c.index = &cellIndex{outcomes: map[string]uint32{}, shared: map[sharedKey]uint32{}, images: map[string]uint32{}}
		for i := range c.outcomes {
			c.index.outcomes[string(c.index.outcomeKey(&c.outcomes[i]))] = uint32(i)
		}
		for i, id := range c.images {
			c.index.images[id] = uint32(i + 1)
		}
	}
	return c.index
}

// locate keeps which kernel and device the next cell is about.
func (c *Cells) locate(cell *Cell) {
	i, n := len(c.list), len(c.devices)
	switch {
	case c.order != nil:
	case i == n && (i == 0 || c.kernels[0] == cell.Kernel): // the first kernel
		if i == 0 {
			c.kernels = append(c.kernels, cell.Kernel)
		}
		c.devices = append(c.devices, cell.Device)
		return
	case i%n == 0 && c.devices[0] == cell.Device:
		c.kernels = append(c.kernels, cell.Kernel)
		return
	case i%n > 0 && i > n && c.devices[i%n] == cell.Device && c.kernels[i/n] == cell.Kernel:
		return
	default:
		c.putInOrder()
	}
	x := c.find()
	if x.kernels == nil {
		x.kernels, x.devices = map[string]uint32{}, map[string]uint32{}
		for i, id := range slices.Backward(c.kernels) {
			x.kernels[id] = uint32(i)
		}
		for i, id := range slices.Backward(c.devices) {
			x.devices[id] = uint32(i)
		}
	}
	c.order = append(c.order, position{indexOf(x.kernels, &c.kernels, cell.Kernel), indexOf(x.devices, &c.devices, cell.Device)})
}

// putInOrder writes the usual order of the cells down, as the next cell is not in it.
func (c *Cells) putInOrder() {
	order := make([]position, len(c.list), 2*len(c.list)+1)
	for i := range order {
		order[i] = c.position(i)
	}
	c.order = order
	c.find()
}

// indexOf returns the index of an id in a list, to which it is added when it is missing.
func indexOf(known map[string]uint32, list *[]string, id string) uint32 {
	i, ok := known[id]
	if !ok {
		i = uint32(len(*list))
		known[id] = i
		*list = append(*list, id)
	}
	return i
}

// store returns what is kept of a cell but for its kernel and device.
func (c *Cells) store(cell *Cell) storedCell {
	x := c.find()
	var s storedCell
	if cell.Image != "" {
		id, ok := x.images[cell.Image]
		if !ok {
			c.images = append(c.images, cell.Image)
			id = uint32(len(c.images))
			x.images[cell.Image] = id
		}
		s.image = id
	}
	shared := sharedKey{n: len(cell.Reasons), code: cell.Code, scope: cell.Scope, verdict: cell.Verdict}
	if shared.n > 0 {
		shared.reasons = &cell.Reasons[0]
	}
	id, ok := x.shared[shared]
	if ok {
		s.outcome = id
		return s
	}
	o := outcomeOf{*cell, -1, 0}
	o.Kernel, o.Device, o.Image = "", "", ""
	o.cut(kernelOf(cell.Kernel))
	key := x.outcomeKey(&o)
	id, ok = x.outcomes[string(key)]
	if !ok {
		id = uint32(len(c.outcomes))
		x.outcomes[string(key)] = id
		c.outcomes = append(c.outcomes, o)
	}
	if o.reason < 0 {
		x.shared[shared] = id
	}
	s.outcome = id
	return s
}

// cut cuts the name of the kernel out of the text of the reason that has it.
func (o *outcomeOf) cut(kernel string) {
	if kernel == "" {
		return
	}
	for i := range o.Reasons {
		if r := &o.Reasons[i]; r.Rule == string(compat.NoImage) {
			before, after, ok := strings.Cut(r.Text, kernel)
			if ok {
				o.Reasons = slices.Clone(o.Reasons)
				o.Reasons[i].Text = before + after
				o.reason, o.offset = i, len(before)
			}
			return
		}
	}
}

// outcomeKey returns what tells an outcome from others. It is valid until the next call.
func (x *cellIndex) outcomeKey(o *outcomeOf) []byte {
	key := append(x.key[:0], byte(o.Verdict))
	key = binary.AppendVarint(key, int64(o.reason))
	key = binary.AppendVarint(key, int64(o.offset))
	add := func(s string) { key = append(binary.AppendUvarint(key, uint64(len(s))), s...) }
	add(string(o.Code))
	add(string(o.Scope))
	for i := range o.Reasons {
		r := &o.Reasons[i]
		key = append(key, byte(r.Verdict))
		for _, s := range [...]string{r.Available, r.Property, r.Required, r.Rule, r.Text} {
			add(s)
		}
	}
	x.key = key
	return key
}

// MarshalJSON and UnmarshalJSON are for encoding/json, which programs may use for a
// report as well as [Report.Encode] and [Decode].
func (c Cells) MarshalJSON() ([]byte, error) {
	list := make([]Cell, c.Len())
	for i := range list {
		list[i] = c.At(i)
	}
	return json.Marshal(list)
}

func (c *Cells) UnmarshalJSON(data []byte) error {
	var list []Cell
	err := json.Unmarshal(data, &list)
	*c = MakeCells(list...)
	return err
}

// A Place has the index of a cell, and those of the kernel and the device that it is about.
type Place struct{ Cell, Kernel, Device int }

// AllCells returns the cells and the places that they are about. It leaves out cells
// about what is not listed, which no report has that Build or Decode returns. A cell is
// valid until the next one is taken.
func (r *Report) AllCells() iter.Seq2[Place, *Cell] {
	return func(yield func(Place, *Cell) bool) {
		f := finder{r: r}
		for i, c := range r.Cells.All() {
			if at, ok := f.place(i, c.Kernel, c.Device); ok && !yield(at, c) {
				return
			}
		}
	}
}

// CellIndex returns a function that returns the index of the cell about a kernel and a
// device, given by index. It is -1 when there is none, as in no report that Build or
// Decode returns.
func (r *Report) CellIndex() func(kernel, device int) int {
	n := len(r.Devices)
	inOrder := r.Cells.order == nil && r.Cells.Len() == len(r.Kernels)*n &&
		slices.EqualFunc(r.Cells.kernels, r.Kernels, func(id string, k Kernel) bool { return id == k.ID }) &&
		slices.EqualFunc(r.Cells.devices, r.Devices, func(id string, d Device) bool { return id == d.ID })
	if inOrder {
		return func(kernel, device int) int { return kernel*n + device }
	}
	index := make([]int, len(r.Kernels)*n)
	for at := range r.AllCells() {
		index[at.Kernel*n+at.Device] = at.Cell + 1
	}
	return func(kernel, device int) int { return index[kernel*n+device] - 1 }
}

// A finder finds the places of cells.
type finder struct {
	r                *Report
	kernels, devices map[string]int // indexes by id, when they are needed
}

// place returns the place of a cell. That of the usual order is the likely one.
func (f *finder) place(i int, kernelID, deviceID string) (at Place, ok bool) {
	r := f.r
	if n := len(r.Devices); n > 0 {
		at = Place{i, i / n, i % n}
		if at.Kernel < len(r.Kernels) && r.Kernels[at.Kernel].ID == kernelID && r.Devices[at.Device].ID == deviceID {
			return at, true
		}
	}
	if f.kernels == nil {
		f.kernels, f.devices = map[string]int{}, map[string]int{}
		for i := range r.Kernels {
			f.kernels[r.Kernels[i].ID] = i
		}
		for i := range r.Devices {
			f.devices[r.Devices[i].ID] = i
		}
	}
	kernel, hasKernel := f.kernels[kernelID]
	device, hasDevice := f.devices[deviceID]
	return Place{i, kernel, device}, hasKernel && hasDevice
}
