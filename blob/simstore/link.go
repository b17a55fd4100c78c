package simstore

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Link is what lies between a program and a store. The zero value is a link
// without delay and without limit.
type Link struct {
	FirstByte time.Duration // from each request to the first byte of its answer
	PerConn   int64         // bytes a second over each connection; 0 means no limit
	Total     int64         // bytes a second over all connections; 0 means no limit
}

// unlimited is how the zero Link is written.
const unlimited = "unlimited"

// ParseLink reads a link from a text such as "ttfb=30ms,conn=85MB/s,total=1GB/s".
// Each part may be missing; the text of a link with none is "unlimited". Rates are
// in B/s, kB/s, MB/s and GB/s, powers of 1000, or KiB/s, MiB/s and GiB/s, powers of
// 1024.
func ParseLink(text string) (Link, error) {
	var l Link
	if text == unlimited {
		return l, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); seen[name] {
			return Link{}, fmt.Errorf("simstore: link %q: %s is given twice", text, name)
		}
		seen[name] = true
		var err error
		switch value = strings.TrimSpace(value); name {
		case "ttfb":
			l.FirstByte, err = parseTime(value)
		case "conn":
			l.PerConn, err = parseRate(value)
		case "total":
			l.Total, err = parseRate(value)
		default:
			err = errors.New("the parts are ttfb=TIME, conn=RATE and total=RATE")
		}
		if err != nil {
			return Link{}, fmt.Errorf("simstore: link %q: %w", text, err)
		}
	}
	return l, nil
}

func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no time: write 30ms or 0.5s", text)
	}
	return d, nil
}

// units are those of rates, the largest first; of the ones that ParseLink knows
// String uses the powers of 1000.
var units = []struct {
	name  string
	bytes int64
}{
	{"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3},
	{"GiB/s", 1 << 30}, {"MiB/s", 1 << 20}, {"KiB/s", 1 << 10},
	{"B/s", 1},
}

func parseRate(text string) (int64, error) {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if rate := n * float64(u.bytes); err == nil && rate >= 1 && rate < math.MaxInt64 {
			return int64(math.Round(rate)), nil
		}
		break
	}
	return 0, fmt.Errorf("%q is no rate: write 85MB/s, 1GB/s or 64KiB/s", text)
}

// String writes the link as ParseLink reads it.
func (l Link) String() string {
	var parts []string
	if l.FirstByte != 0 {
		parts = append(parts, "ttfb="+l.FirstByte.String())
	}
	if l.PerConn > 0 {
		parts = append(parts, "conn="+rate(l.PerConn))
	}
	if l.Total > 0 {
		parts = append(parts, "total="+rate(l.Total))
	}
	if parts == nil {
		return unlimited
	}
	return strings.Join(parts, ",")
}

func rate(n int64) string {
	for _, u := range units {
		if n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return ""
}
