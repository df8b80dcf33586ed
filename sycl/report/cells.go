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
// each other: so what cells say is kept once, and so is what the cells of a kernel say
// together.
type Cells struct {
	texts    *texts
	kernels  chunks[uint32] // numbers of ids
	devices  []string       // ids
	outcomes []outcomeOf

	// In the usual order each kernel has one cell for each device, in the same order.
	rows     chunks[cellRow] // of all kernels but the last
	patterns []storedCell    // of rows, as many as there are devices for each
	images   chunks[uint32]  // numbers of ids, see cellRow
	open     []storedCell    // of the last kernel

	// In any other order. There are no rows then.
	order []position
	list  []storedCell

	index *cellIndex
}

// A storedCell has the index of an outcome, and the number of the id of the image.
type storedCell struct{ outcome, image uint32 }

// A cellRow are the cells of a kernel. Cells of the pattern have, in place of the number
// of an image, its place in the images of the row plus 1, or 0 for none.
type cellRow struct{ pattern, images uint32 } // index of patterns, first index of images

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
	patterns         map[string]uint32
	kernels, devices map[string]uint32 // when the order is not the usual one
	key              []byte
	images, more     []uint32 // of the last row, and memory for those of the next one
	start            int      // of the images in Cells.images
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
func (c *Cells) Len() int {
	if c.order != nil {
		return len(c.list)
	}
	return c.rows.n*len(c.devices) + len(c.open)
}

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
		for i := range c.Len() {
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
func (c *Cells) Outcome(i int) int { return int(c.stored(i).outcome) }

// Outcomes returns how many outcomes the cells have.
func (c *Cells) Outcomes() int { return len(c.outcomes) }

func (c *Cells) get(i int, to *Cell) {
	stored := c.stored(i)
	o := &c.outcomes[stored.outcome]
	*to = o.Cell
	to.Kernel, to.Device = c.about(i)
	to.Image = c.texts.at(stored.image)
	if o.reason >= 0 {
		to.Reasons = slices.Clone(o.Reasons)
		text := &to.Reasons[o.reason].Text
		*text = (*text)[:o.offset] + kernelOf(to.Kernel) + (*text)[o.offset:]
	}
}

// stored returns what is kept of a cell but for its kernel and device.
func (c *Cells) stored(i int) storedCell {
	if c.order != nil {
		return c.list[i]
	}
	n := len(c.devices)
	k, d := i/n, i%n
	if k >= c.rows.n {
		return c.open[i-c.rows.n*n]
	}
	return c.inRow(*c.rows.at(k), d)
}

// inRow returns the cell of a row about a device.
func (c *Cells) inRow(row cellRow, device int) storedCell {
	s := c.patterns[int(row.pattern)*len(c.devices)+device]
	if s.image > 0 {
		s.image = *c.images.at(int(row.images + s.image - 1))
	}
	return s
}

// about returns the ids of the kernel and the device that a cell is about.
func (c *Cells) about(i int) (kernel, device string) {
	at := c.position(i)
	return c.kernelID(int(at.kernel)), c.devices[at.device]
}

func (c *Cells) kernelID(i int) string { return c.texts.at(*c.kernels.at(i)) }

// position returns which kernel and device a cell is about.
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
	c.put(c.store(cell))
}

// put adds a cell after locate.
func (c *Cells) put(s storedCell) {
	if c.order != nil {
		c.list = append(c.list, s)
	} else {
		c.open = append(c.open, s)
	}
}

// Set replaces a cell by another one about the same kernel and device.
func (c *Cells) Set(i int, cell *Cell) {
	s := c.store(cell)
	n := len(c.devices)
	switch {
	case c.order != nil:
		c.list[i] = s
	case i >= c.rows.n*n:
		c.open[i-c.rows.n*n] = s
	default:
		row := c.rows.at(i / n)
		cells := make([]storedCell, n)
		for d := range cells {
			cells[d] = c.inRow(*row, d)
		}
		cells[i%n] = s
		*row = c.rowOf(cells)
	}
}

// rowOf returns the row of the cells of a kernel.
func (c *Cells) rowOf(cells []storedCell) cellRow {
	x := c.find()
	images, key := x.more[:0], x.key[:0]
	for _, s := range cells {
		if s.image > 0 {
			const few = 16 // a kernel has few images, so an image is hardly ever listed twice
			first := max(0, len(images)-few)
			i := slices.Index(images[first:], s.image)
			if i < 0 {
				i = len(images) - first
				images = append(images, s.image)
			}
			s.image = uint32(first + i + 1)
		}
		key = s.appendTo(key)
	}
	x.key = key
	pattern, ok := x.patterns[string(key)]
	if !ok {
		pattern = uint32(len(c.patterns) / len(cells))
		x.patterns[string(key)] = pattern
		c.patterns = appendPattern(c.patterns, key)
	}
	x.more = images
	if !slices.Equal(images, x.images) { // kernels of one module have the same ones
		x.images, x.more, x.start = images, x.images, c.images.n
		for _, i := range images {
			c.images.append(i)
		}
	}
	return cellRow{pattern, uint32(x.start)}
}

func (s storedCell) appendTo(key []byte) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(key, s.outcome), s.image)
}

// appendPattern appends the cells of a key of a row.
func appendPattern(list []storedCell, key []byte) []storedCell {
	for ; len(key) > 0; key = key[8:] {
		list = append(list, storedCell{binary.LittleEndian.Uint32(key), binary.LittleEndian.Uint32(key[4:])})
	}
	return list
}

// verdicts counts the cells by verdict.
func (c *Cells) verdicts() (n [1 << 8]int) {
	add := func(cells []storedCell, times int) {
		for _, s := range cells {
			n[c.outcomes[s.outcome].Verdict] += times
		}
	}
	devices := len(c.devices)
	rows := make([]int, len(c.patterns)/max(1, devices)) // by pattern
	for _, row := range c.rows.all() {
		rows[row.pattern]++
	}
	for i, times := range rows {
		add(c.patterns[i*devices:(i+1)*devices], times)
	}
	add(c.open, 1)
	add(c.list, 1)
	return n
}

// imageIDs returns the ids of the images of cells, each at least once.
func (c *Cells) imageIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, n := range c.images.all() {
			if !yield(c.texts.at(*n)) {
				return
			}
		}
		for _, list := range [...][]storedCell{c.open, c.list} {
			for _, s := range list {
				if s.image > 0 && !yield(c.texts.at(s.image)) {
					return
				}
			}
		}
	}
}

// emptied returns an empty list in the same memory.
func (c *Cells) emptied() Cells {
	clear(c.outcomes) // their texts may be long
	clear(c.devices)
	return Cells{kernels: c.kernels.emptied(), devices: c.devices[:0], outcomes: c.outcomes[:0], rows: c.rows.emptied(),
		patterns: c.patterns[:0], images: c.images.emptied(), open: c.open[:0], list: c.list[:0]}
}

// find returns the index, which is made when it is missing.
func (c *Cells) find() *cellIndex {
	if c.index == nil {
		x := &cellIndex{outcomes: map[string]uint32{}, shared: map[sharedKey]uint32{}, patterns: map[string]uint32{}}
		c.index = x
		for i := range c.outcomes {
			x.outcomes[string(x.outcomeKey(&c.outcomes[i]))] = uint32(i)
		}
		n := len(c.devices)
		for i := 0; i < len(c.patterns); i += n {
			x.key = x.key[:0]
			for _, s := range c.patterns[i : i+n] {
				x.key = s.appendTo(x.key)
			}
			x.patterns[string(x.key)] = uint32(i / n)
		}
	}
	return c.index
}

// locate keeps which kernel and device the next cell is about.
func (c *Cells) locate(cell *Cell) {
	if c.texts == nil {
		c.texts = new(texts)
	}
	i, n := c.Len(), len(c.devices)
	switch {
	case c.order != nil:
	case i == n && (i == 0 || c.kernelID(0) == cell.Kernel): // the first kernel
		if i == 0 {
			c.kernels.append(c.texts.number(cell.Kernel))
		}
		c.devices = append(c.devices, cell.Device)
		return
	case i%n == 0 && c.devices[0] == cell.Device:
		c.rows.append(c.rowOf(c.open))
		c.open = c.open[:0]
		c.kernels.append(c.texts.number(cell.Kernel))
		return
	case i%n > 0 && i > n && c.devices[i%n] == cell.Device && c.kernelID(i/n) == cell.Kernel:
		return
	default:
		c.putInOrder()
	}
	x := c.find()
	if x.kernels == nil {
		x.kernels, x.devices = map[string]uint32{}, map[string]uint32{}
		for i := range c.kernels.n {
			id := c.kernelID(i)
			if _, ok := x.kernels[id]; !ok {
				x.kernels[id] = uint32(i)
			}
		}
		for i, id := range slices.Backward(c.devices) {
			x.devices[id] = uint32(i)
		}
	}
	kernel, ok := x.kernels[cell.Kernel]
	if !ok {
		kernel = uint32(c.kernels.n)
		x.kernels[cell.Kernel] = kernel
		c.kernels.append(c.texts.number(cell.Kernel))
	}
	device, ok := x.devices[cell.Device]
	if !ok {
		device = uint32(len(c.devices))
		x.devices[cell.Device] = device
		c.devices = append(c.devices, cell.Device)
	}
	c.order = append(c.order, position{kernel, device})
}

// putInOrder writes the usual order of the cells down, as the next cell is not in it.
func (c *Cells) putInOrder() {
	order := make([]position, c.Len(), 2*c.Len()+1)
	list := c.list[:0]
	for i := range order {
		order[i] = c.position(i)
		list = append(list, c.stored(i))
	}
	c.order, c.list = order, list
	c.rows, c.patterns, c.images, c.open = c.rows.emptied(), c.patterns[:0], c.images.emptied(), c.open[:0]
	if c.index != nil {
		clear(c.index.patterns)
	}
}

// store returns what is kept of a cell but for its kernel and device.
func (c *Cells) store(cell *Cell) storedCell {
	x := c.find()
	s := storedCell{image: c.texts.number(cell.Image)}
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
	if r.inOrder() {
		return func(kernel, device int) int { return kernel*n + device }
	}
	index := make([]int, r.Kernels.Len()*n)
	for at := range r.AllCells() {
		index[at.Kernel*n+at.Device] = at.Cell + 1
	}
	return func(kernel, device int) int { return index[kernel*n+device] - 1 }
}

// inOrder reports whether each kernel has a cell for each device, all in the order of the
// lists of the report.
func (r *Report) inOrder() bool {
	c := &r.Cells
	if c.order != nil || c.Len() != r.Kernels.Len()*len(r.Devices) || c.Len() > 0 && c.kernels.n != r.Kernels.Len() {
		return false
	}
	for i, n := range c.kernels.all() {
		if c.texts.at(*n) != r.Kernels.ID(i) {
			return false
		}
	}
	return slices.EqualFunc(c.devices, r.Devices, func(id string, d Device) bool { return id == d.ID }) || c.Len() == 0
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
		if at.Kernel < r.Kernels.Len() && r.Kernels.ID(at.Kernel) == kernelID && r.Devices[at.Device].ID == deviceID {
			return at, true
		}
	}
	if f.kernels == nil {
		f.kernels, f.devices = map[string]int{}, map[string]int{}
		for i := range r.Kernels.Len() {
			f.kernels[r.Kernels.ID(i)] = i
		}
		for i := range r.Devices {
			f.devices[r.Devices[i].ID] = i
		}
	}
	kernel, hasKernel := f.kernels[kernelID]
	device, hasDevice := f.devices[deviceID]
	return Place{i, kernel, device}, hasKernel && hasDevice
}
