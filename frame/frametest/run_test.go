package frametest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/frame/frametest"
)

// faulty is a framer of lines that begin with '!' if they are bad, with one fault.
type faulty struct {
	fault string
	seen  int
}

func (s *faulty) Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error) {
	pos, last := s.seen, 0
	if s.fault == "rescans" {
		pos = 0
	}
	for {
		if rest := slab[last:]; len(rest) > 0 && rest[0] == '!' {
			return ends, &frame.Error{Framer: "faulty", Err: frame.ErrRecord}
		}
		i := bytes.IndexByte(slab[pos:], '\n')
		if i < 0 {
			break
		}
		pos += i + 1
		last = pos
		ends = append(ends, uint32(last))
	}
	if s.fault == "judges by what is there" && len(slab)-last > 10 && !eof {
		return ends, &frame.Error{Framer: "faulty", Err: frame.ErrTooLong}
	}
	if rest := len(slab) - last; eof && (rest > 0 || s.fault == "refuses the end" && bytes.HasSuffix(slab, []byte("x"))) {
		if s.fault == "refuses the end" {
			return ends, &frame.Error{Framer: "faulty", Err: frame.ErrRecord}
		}
		ends, last = append(ends, uint32(len(slab))), len(slab)
	}
	s.seen = len(slab) - last
	return ends, nil
}

func (s *faulty) State() []byte { return nil }

func (s *faulty) Resync(slab []byte, eof bool) (n int, done bool) {
	s.seen = 0
	if s.fault == "refuses the end" && eof {
		return 0, true
	}
	i := bytes.IndexByte(slab, '\n')
	if i >= 0 && s.fault == "loses the next" {
		if j := bytes.IndexByte(slab[i+1:], '\n'); j >= 0 {
			return i + j + 2, true
		}
		return i + 1, eof
	}
	if i >= 0 {
		return i + 1, true
	}
	return len(slab), eof
}

// TestRunFindsFaults runs the suite over framers with one fault each.
func TestRunFindsFaults(t *testing.T) {
	long := strings.Repeat("x", 300<<10) + "\n"
	for _, fault := range []string{"", "rescans", "loses the next", "refuses the end", "judges by what is there", "text"} {
		f := frame.Framer{Name: "faulty", New: func(*frame.Options) (frame.Scanner, error) {
			return &faulty{fault: fault}, nil
		}, Body: func(raw []byte, _ int64) []byte { return bytes.TrimSuffix(raw, []byte("\n")) }}
		cases := []frametest.Case{
			{Name: "long", In: long, Want: []string{long[:len(long)-1]}},
			{Name: "bad", In: "one\ntwo\nthree, longer\n", Want: []string{"one", "two", "three, longer"}, Bad: []string{"!\n", "!bad\n"}},
		}
		if fault == "refuses the end" {
			cases = append(cases, frametest.Case{Name: "end", In: "one\nx", Want: []string{"one"}, Err: frame.ErrRecord})
		}
		ok := testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{
			{Name: "Faulty", F: func(t *testing.T) {
				frametest.Run(t, f, cases)
				if fault == "text" { // it takes UTF-16 for records
					frametest.RefusesUTF16(t, f)
				}
			}},
		})
		if ok != (fault == "") {
			t.Errorf("fault %q: got passed %v, want %v", fault, ok, fault == "")
		}
	}
}
