package frame_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/thaw-go/thaw/frame/frametest"
)

// framing says that before and after may stand around a record, body, in its raw
// bytes.
type framing func(before, body, after string) bool

// framings hold what the raw bytes of each framer's records must be made of.
var framings = map[string]framing{
	"lines":                            lineFraming(""),
	"ndjson":                           lineFraming(" \t\r\n"),
	"csv":                              lineFraming("\r\n"),
	"tsv":                              lineFraming("\r\n"),
	"csv:":                             lineFraming("\r\n"),
	"regexp:":                          lineFraming(""),
	"csv:header,unquoted,ragged=error": headedFraming,
	"csv:header,ragged=error":          headedFraming,
	"delim:":                           func(before, _, _ string) bool { return before == "" },
	"fixed:":                           func(before, _, after string) bool { return before+after == "" },
	"whole":                            func(before, _, after string) bool { return before+after == "" },
	"u16be":                            written("u16be"),
	"u16le":                            written("u16le"),
	"u32be":                            written("u32be"),
	"u32le":                            written("u32le"),
	"u64be":                            written("u64be"),
	"u64le":                            written("u64le"),
	"tfrecord":                         written("tfrecord"),
	"recordio": func(before, body, after string) bool { // what pads is not looked at
		raw := writers["recordio"](body)
		return len(before+body+after) == len(raw) && before == raw[:8]
	},
	"varint": func(before, body, after string) bool {
		size, n := binary.Uvarint([]byte(before))
		return n == len(before) && size == uint64(len(body)) && after == ""
	},
	"json": func(before, _, after string) bool {
		return strings.Trim(strings.TrimPrefix(before, "\ufeff"), " \t\r\n") == "" && after == ""
	},
	"json-array": func(before, _, after string) bool {
		before = strings.Trim(strings.TrimPrefix(before, "\ufeff"), " \t\r\n")
		return (before == "[" || before == ",") && after == ""
	},
	"tar": func(before, body, after string) bool {
		return before != "" && len(before)%512 == 0 && len(before+body+after)%512 == 0 && len(after) < 512
	},
	"warc": func(before, _, after string) bool {
		after = strings.ReplaceAll(after, "\r\n", "\n")
		return strings.Trim(before, "\r\n") == "" && after == "\n\n"
	},
}

// headedFraming is that of rows the first of which may have the header before it.
func headedFraming(before, _, after string) bool {
	return (before == "" || strings.HasSuffix(before, "\n")) && strings.Trim(after, "\r\n") == ""
}

// tails hold what may stand after the last record, where it is not nothing.
var tails = map[string]func(tail string) bool{
	"lines":                            func(tail string) bool { return tail == "\ufeff" },
	"regexp:":                          func(tail string) bool { return tail == "\ufeff" },
	"ndjson":                           isBlank,
	"csv":                              isBlank,
	"tsv":                              isBlank,
	"csv:":                             isBlank,
	"csv:header,ragged=error":          func(tail string) bool { return true }, // the header alone
	"csv:header,unquoted,ragged=error": func(tail string) bool { return true },
	"json":                             isBlank,
	"warc":                             isBlank,
	"json-array":                       func(tail string) bool { return strings.Trim(tail, "\ufeff \t\r\n[") == "]" },
	"tar":                              func(tail string) bool { return len(tail) >= 512 }, // members without data, then zeros
}

func isBlank(tail string) bool {
	return strings.Trim(strings.TrimPrefix(tail, "\ufeff"), " \t\r\n") == ""
}

// lineFraming is that of lines before which others stand that hold only bytes of
// blank.
func lineFraming(blank string) framing {
	return func(before, _, after string) bool {
		before = strings.TrimPrefix(before, "\ufeff")
		return strings.Trim(before, blank) == "" && (before == "" || strings.HasSuffix(before, "\n")) &&
			(after == "" || after == "\n" || after == "\r\n")
	}
}

// written is the framing of what a writer makes.
func written(name string) framing {
	return func(before, body, after string) bool { return writers[name](body) == before+body+after }
}

// ofFramer is the entry for a framer, or for all with its prefix, as "delim:".
func ofFramer[T any](m map[string]T, name string) (T, bool) {
	if v, ok := m[name]; ok {
		return v, true
	}
	if prefix, _, ok := strings.Cut(name, ":"); ok {
		name = prefix + ":"
	}
	v, ok := m[name]
	return v, ok
}

// rebuild says in what records do not make up data again: a gap between two, raw
// bytes that hold more than a record and its framing, or a tail of more than
// separators after the last.
func rebuild(name, data string, records []frametest.Record, clean bool) string {
	around, known := ofFramer(framings, name)
	next := 0
	for i, r := range records {
		if r.Offset != int64(next) || r.Raw > len(data)-next {
			return fmt.Sprintf("record %d: got %d bytes at offset %d, want offset %d", i, r.Raw, r.Offset, next)
		}
		raw, body := data[next:next+r.Raw], string(r.Data)
		if known && !framed(raw, body, around) {
			return fmt.Sprintf("record %d: got %q of the raw bytes %q", i, body, raw)
		}
		next += r.Raw
	}
	tail := data[next:]
	allowed, ok := ofFramer(tails, name)
	if known && clean && tail != "" && (!ok || !allowed(tail)) {
		return fmt.Sprintf("behind the last record: got %q, want separators", tail)
	}
	return ""
}

// framed looks for body in raw where its framing is around it.
func framed(raw, body string, around framing) bool {
	for i := 0; i+len(body) <= len(raw); i++ {
		if strings.HasPrefix(raw[i:], body) && around(raw[:i], body, raw[i+len(body):]) {
			return true
		}
	}
	return false
}

// checkWritten writes records so that every byte of one and of what frames it comes
// to lie around a slab's edge, and cuts the data at every byte.
func checkWritten(t *testing.T, name string) {
	t.Helper()
	const slab = 64
	write := writers[name]
	f := lookup(t, name)
	special := []string{"\r\n", "", "\"", "\\", "\x00", "\n\n,\"\\\"", "plain"}
	for before := range slab + 3 {
		want := append([]string{strings.Repeat("x", before)}, special...)
		var data strings.Builder
		for _, record := range want {
			data.WriteString(write(record))
		}
		check(t, f, func(string) ([]string, error) { return want, nil }, data.String(), [][2]int{{slab, 0}, {slab, 7}, {0, 0}})
	}
	records := []string{"\r\n", "", strings.Repeat("x", slab)}
	var data strings.Builder
	ends := []int{0}
	for _, record := range records {
		data.WriteString(write(record))
		ends = append(ends, data.Len())
	}
	for cut := range data.Len() + 1 {
		n, border := slices.BinarySearch(ends, cut)
		if !border {
			n--
		}
		check(t, f, func(string) ([]string, error) {
			if !border {
				return records[:n], io.ErrUnexpectedEOF
			}
			return records[:n], nil
		}, data.String()[:cut], [][2]int{{slab, 0}, {slab, 7}, {0, 0}})
	}
}
