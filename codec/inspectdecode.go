package codec

import (
	"fmt"
	"io"
)

// decode decodes the object, counts what comes out and lists members where the
// headers did not. It returns the error of the decoder.
func (i *inspection) decode(c Codec) error {
	section := io.NewSectionReader(&i.headers, 0, i.size)
	outer, err := c.NewReader(section, i.largest(0))
	if err != nil {
		return err
	}
	defer outer.Close()
	m := &members{i: i, dec: outer, kind: c.member()}
	m.own, _ = outer.(*decoder)
	m.begin()
	var top io.Reader = m
	for k, name := range i.Detection.Inner {
		inner, ok := i.codecs.find(name)
		if !ok {
			return fmt.Errorf("%w: no decoder for %s", ErrUnsupported, name)
		}
		d, err := inner.NewReader(top, i.largest(k+1))
		if err != nil {
			return err
		}
		defer d.Close()
		top = d
	}
	n, err := io.Copy(io.Discard, struct{ io.Reader }{top})
	i.How += ", then decoding"
	i.Decoded = n
	wrong := err == nil && i.Declared >= 0 && i.Declared != n && len(i.Layers) == 1
	if wrong {
		i.note("headers state %d decoded bytes", i.Declared)
		i.Declared = -1
	}
	if m.own != nil && (wrong || i.Members.Count < 0) {
		i.Members = m.found
	}
	if p, ok := outer.(Positioned); ok {
		i.at = p.StoredOffset()
	}
	if off, n := Trailing(outer); n > 0 {
		i.note("%d bytes from offset %d on belong to no member", n, off)
	}
	if doubt := Doubt(outer); doubt != "" {
		i.note(doubtNote, doubt)
	}
	return err
}

// doubtNote is the note about a doubtful end.
const doubtNote = "it may be cut: %s"

// largest are options to decode layer k with, under which what the Info says of a
// reader of it is raised to what the reader takes.
func (i *inspection) largest(k int) *Options {
	l := &i.Layers[k]
	return &Options{
		MaxWindow: i.opts.MaxWindow, Dictionaries: i.opts.Dictionaries,
		saw: func(window, memory int64) {
			l.Window, l.Memory = max(l.Window, window), max(l.Memory, memory)
		},
		Grow: func(memory int64) error {
			l.Memory = max(l.Memory, memory)
			return nil
		},
	}
}

// members reads from the decoder of the outermost layer and lists its members.
type members struct {
	i     *inspection
	dec   Decoder
	own   *decoder // dec, if it knows where members end
	kind  string   // what the format calls one
	found Parts
	from  Point // where the current member began
}

// begin notes that a member may begin.
func (m *members) begin() {
	if m.own != nil {
		m.from = Point{Stored: m.own.StoredOffset(), Decoded: m.own.decoded}
	}
}

// Read takes one step at a time, so that no read covers two members.
func (m *members) Read(p []byte) (int, error) {
	d := m.own
	if d == nil {
		return m.dec.Read(p)
	}
	for {
		if d.err != nil {
			return 0, d.err
		}
		was := d.inside
		n, err := d.step(p)
		if was && !d.inside {
			m.end()
		}
		if err != nil {
			d.err = d.stop(err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

func (m *members) end() {
	to := m.own.memberEnd
	m.found.add(&Part{
		Kind: m.kind, Offset: m.from.Stored, Size: to.Stored - m.from.Stored, Decoded: to.Decoded - m.from.Decoded,
	}, m.i.most)
	m.from = to
}
