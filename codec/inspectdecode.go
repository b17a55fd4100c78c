package codec

import (
	"fmt"
	"io"
)

// decode decodes the object, counts what comes out and lists members where the
// headers did not. It returns the error of the decoder.
func (i *inspection) decode(c Codec) error {
	opts := &Options{MaxWindow: i.opts.MaxWindow, Dictionaries: i.opts.Dictionaries}
	section := io.NewSectionReader(&i.headers, 0, i.size)
	outer, err := c.NewReader(section, opts)
	if err != nil {
		return err
	}
	defer outer.Close()
	m := &members{i: i, list: i.Members.Count < 0, dec: outer}
	m.own, _ = outer.(*decoder)
	if m.list && m.own != nil {
		i.Members = Parts{}
	}
	m.border()
	var top io.Reader = m
	for _, name := range i.Detection.Inner {
		inner, ok := i.codecs.Lookup(name)
		if !ok {
			return fmt.Errorf("%w: no decoder for %s", ErrUnsupported, name)
		}
		d, err := inner.NewReader(top, opts)
		if err != nil {
			return err
		}
		defer d.Close()
		top = d
	}
	n, err := io.Copy(io.Discard, struct{ io.Reader }{top})
	i.How += ", then decoding"
	i.Decoded = n
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

// members reads from the decoder of the outermost layer and lists its members.
type members struct {
	i    *inspection
	list bool
	dec  Decoder
	own  *decoder // dec, if it tells where members end
	from Point    // where the current member began
}

// border notes that a member may begin.
func (m *members) border() {
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
	to := m.own.border
	if m.list {
		m.i.Members.add(Part{
			Kind: memberKind(m.own.name), Offset: m.from.Stored,
			Size: to.Stored - m.from.Stored, Decoded: to.Decoded - m.from.Decoded,
		}, m.i.most)
	}
	m.from = to
}

// memberKind is what the members of a codec are called.
func memberKind(codec string) string {
	switch codec {
	case "bzip2", "zlib", "deflate", "brotli":
		return "stream"
	case "lz4-hadoop":
		return "block"
	}
	return "member"
}
