package inflate

// storedSize reads the size of a stored block, RFC 1951 section 3.2.4.
func (d *Decoder) storedSize() status {
	if !d.need(32) {
		return starved
	}
	size, check := uint16(d.take(16)), uint16(d.take(16))
	if size != ^check {
		return d.wrong(32, "size of a stored block differs from its complement")
	}
	d.stored = int(size)
	d.step = stepStored
	return more
}

// copyStored copies what input and room allow of a stored block to slab[w:].
func (d *Decoder) copyStored(slab []byte, w int) (int, status) {
	d.giveBack() // the block begins at a byte: no bit is left
	n := copy(slab[w:], d.buf[d.pos:min(len(d.buf), d.pos+d.stored)])
	w += n
	d.pos += n
	d.stored -= n
	switch {
	case d.stored == 0:
		d.step = stepEndBlock
		return w, more
	case d.pos == len(d.buf):
		return w, starved
	}
	return w, full
}
