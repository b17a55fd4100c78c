package codec

import (
	"errors"
	"iter"
	"strings"
)

// walk lists the parts of an object: by the index at its end, if the codec has one
// and it holds, else by its Scanner, else the units of its Split.
func (i *inspection) walk(c Codec) error {
	if c.tail != nil {
		i.restart()
		err := i.list(c.tail(&i.headers), nil)
		if !errors.Is(err, errNoHint) {
			i.how("index and headers")
			return err
		}
	}
	if c.Scan != nil {
		i.restart()
		w := newWalk(c.Name, c.Scan(), &i.headers)
		err := i.list(w.steps(), w)
		i.how("headers")
		return err
	}
	if c.Split == nil {
		return nil
	}
	i.Declared = 0
	for u, err := range c.Split(&i.headers, i.size) {
		if err != nil {
			i.Declared = -1
			return err
		}
		i.at = u.Offset + u.Size
		i.Units.add(&Part{Offset: u.Offset, Size: u.Size, Decoded: u.Decoded}, i.most)
		i.Declared = plus(i.Declared, u.Decoded)
	}
	return nil
}

// list adds steps to the Info. w is nil where they are those of an index.
func (i *inspection) list(steps iter.Seq2[*Step, error], w *walk) error {
	var s sums
	m := member{}
	i.at = 0
	for st, err := range steps {
		if err != nil {
			if w != nil {
				i.at = w.off
			}
			if u, ends := s.beforeFault(); ends {
				i.Units.add(&Part{Offset: u.Offset, Size: u.Size, Decoded: u.Decoded}, i.most)
			}
			i.addRemarks(st)
			if i.Declared = -1; i.at == 0 {
				i.Members.Count, i.Blocks.Count = -1, -1
			}
			if !s.tiled {
				i.Units.Count = -1
			}
			i.markUnknown(&m)
			return err
		}
		if u, ends := s.add(st); ends {
			i.Units.add(&Part{Offset: u.Offset, Size: u.Size, Decoded: u.Decoded}, i.most)
		}
		i.at = st.Offset + st.Size
		i.step(st, &m)
	}
	i.at = i.size
	i.Declared = s.total
	if s.tiled {
		i.Units.add(&Part{Offset: s.unit.Offset, Size: i.size - s.unit.Offset, Decoded: s.unit.Decoded}, i.most)
	} else {
		i.Units.Count = -1
	}
	i.markUnknown(&m)
	return nil
}

// member is the one whose steps are being listed.
type member struct {
	Part
	memory   int64
	allow    int64
	declared bool
	opaque   bool // blocks are not listed
	rest     bool // there are members that headers do not show
}

// step adds one to the Info.
func (i *inspection) step(st *Step, m *member) {
	if len(st.Variants)+len(st.Notes) > 0 {
		i.addRemarks(st)
	}
	i.Claimed = max(i.Claimed, st.Claimed)
	i.framing = i.framing || st.framing
	if st.Checksum != "" {
		i.checksum(st.Checksum)
	}
	if st.Dictionary != 0 {
		i.Dictionaries = once(i.Dictionaries, st.Dictionary, i.most)
	}
	m.opaque = m.opaque || st.Part.Blocks < 0
	st.Part.Blocks = max(st.Part.Blocks, 0)
	switch st.Role {
	case StepBegin:
		m.Part, m.memory, m.allow = st.Part, st.Memory, st.Allow
		m.declared, m.Part.Blocks = st.Decoded >= 0, 0
		if !m.declared {
			m.Decoded = 0
		}
	case StepBlock:
		m.Window, m.memory = max(m.Window, st.Window), max(m.memory, st.Memory)
		if !m.declared {
			m.Decoded = plus(m.Decoded, st.Decoded)
		}
		if m.Part.Checksum == "" {
			m.Part.Checksum = st.Checksum
		}
		if st.Kind != "" {
			i.Blocks.add(&st.Part, i.most)
			m.Part.Blocks++
		}
	case StepEnd:
		if st.Window > 0 {
			m.Window, m.allow = st.Window, st.Allow
		}
		if st.Memory > 0 {
			m.memory = st.Memory
		}
		if st.Checksum != "" {
			m.Checksum = st.Checksum
		}
		if !m.declared {
			m.Decoded = plus(m.Decoded, st.Decoded)
		}
		m.Size = st.Offset + st.Size - m.Offset
		if m.Kind != "" {
			i.Members.add(&m.Part, i.most)
			i.needs(Needs{Window: max(m.Window, m.allow), Memory: m.memory})
		}
	case StepSkip:
		if st.Size > 0 && st.Kind != "" {
			i.Skipped.add(&st.Part, i.most)
		}
		if st.Memory > 0 {
			i.needs(Needs{Window: st.Allow, Memory: st.Memory})
		}
	case StepRest:
		m.rest = true
		if st.Window > 0 || st.Memory > 0 {
			i.needs(Needs{Window: st.Window, Memory: st.Memory})
		}
	}
}

// addRemarks adds what a step says beside.
func (i *inspection) addRemarks(st *Step) {
	for _, v := range st.Variants {
		i.variant(v)
	}
	for _, n := range st.Notes {
		i.note("%s", n)
	}
}

// markUnknown marks the lists that are not known.
func (i *inspection) markUnknown(m *member) {
	if m.rest {
		i.Members.Count = -1
	}
	if m.opaque {
		i.Blocks.Count = -1
	}
}

// how says what the figures rest on: by, and of what parts.
func (i *inspection) how(by string) {
	var of []string
	for _, l := range []Parts{i.Members, i.Blocks} {
		if len(l.First) > 0 {
			kind := l.First[0].Kind
			of = append(of, kind[strings.LastIndexByte(kind, ' ')+1:]+"s")
		}
	}
	if i.How = by; len(of) > 0 {
		i.How += " of " + strings.Join(of, " and ")
	}
}
