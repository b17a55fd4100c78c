package zstd

import (
	"encoding/binary"

	"github.com/thaw-go/thaw/internal/decode/fault"
)

const dictMagic = 0xec30a437

// Dict is a dictionary in the format of RFC 8878, section 5.
type Dict struct {
	id       uint32
	content  []byte
	huff     huffTable
	tables   tables
	repeated [3]uint64
}

// ParseDict reads a dictionary. b is kept and must not change.
func ParseDict(b []byte) (*Dict, error) {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) != dictMagic {
		return nil, fault.Corruptf("not a dictionary")
	}
	d := &Dict{id: binary.LittleEndian.Uint32(b[4:])}
	if d.id == 0 {
		return nil, fault.Corruptf("dictionary without an id")
	}
	b = b[8:]
	var c counts
	n, err := d.huff.parse(b, &c)
	if err != nil {
		return nil, err
	}
	b = b[n:]
	parts := d.tables.parts(&d.tables)
	for _, i := range []int{1, 2, 0} { // offsets, matches, literals
		if n, err = parts[i].parse(modeFSE, b, &c); err != nil {
			return nil, err
		}
		b = b[n:]
	}
	if len(b) < 12 {
		return nil, fault.Corruptf("dictionary cut short")
	}
	d.content = b[12:]
	for i := range d.repeated {
		d.repeated[i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
		if v := d.repeated[i]; v == 0 || v > uint64(len(d.content)) {
			return nil, fault.Corruptf("offset of a dictionary beyond its content")
		}
	}
	return d, nil
}

// ID is what frames call the dictionary.
func (d *Dict) ID() uint32 { return d.id }
