package corpus

import (
	"io"
	"strconv"
	"time"
)

var (
	levels   = []string{"INFO", "INFO", "INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARN", "ERROR"}
	services = []string{"checkout", "catalog", "search", "identity", "payments", "shipping", "inventory", "gateway"}
	methods  = []string{"GET", "GET", "GET", "GET", "POST", "PUT", "DELETE"}
	routes   = []string{"/api/v1/items/", "/api/v1/orders/", "/api/v1/users/", "/api/v2/search/", "/static/img/", "/health/"}
	statuses = []string{"200", "200", "200", "200", "200", "204", "304", "404", "500"}
	messages = []string{"request completed", "cache miss, origin asked", "retrying after timeout", "slow query", "session renewed", "connection closed by upstream"}
)

// epoch is the time of the first record.
var epoch = time.Date(2026, time.January, 14, 0, 0, 0, 0, time.UTC)

// NDJSON writes log records of about 240 bytes, one JSON object a line, each line
// ended by \n. Every record has a field "id" that no other record of this seed,
// nor of another seed, has. Times ascend. gzip makes the data 6 to 10 times smaller.
func NDJSON(w io.Writer, seed uint64, records int) error {
	r, s := newRNG(seed), newSink(w)
	at := epoch
	for i := range records {
		at = at.Add(time.Duration(r.skewed(40_000)) * time.Microsecond)
		s.buf = appendLogRecord(s.buf, r, seed, i, at)
		if err := s.flush(false); err != nil {
			return err
		}
	}
	return s.flush(true)
}

// NDJSONBytes is what NDJSON writes.
func NDJSONBytes(seed uint64, records int) []byte {
	return gather(func(w io.Writer) error { return NDJSON(w, seed, records) })
}

func appendLogRecord(b []byte, r *rng, seed uint64, i int, at time.Time) []byte {
	b = append(b, `{"id":"`...)
	b = appendID(b, seed, i)
	b = append(b, `","ts":"`...)
	b = at.AppendFormat(b, "2006-01-02T15:04:05.000Z")
	b = append(b, `","level":"`...)
	b = append(b, r.pick(levels)...)
	b = append(b, `","service":"`...)
	b = append(b, r.pickSkewed(services)...)
	b = append(b, `","host":"web-`...)
	b = strconv.AppendInt(b, int64(10+r.skewed(24)), 10)
	b = append(b, `","method":"`...)
	b = append(b, r.pick(methods)...)
	b = append(b, `","path":"`...)
	b = append(b, r.pickSkewed(routes)...)
	b = strconv.AppendInt(b, int64(10_000+r.intn(5_000)), 10)
	b = append(b, `","status":`...)
	b = append(b, r.pick(statuses)...)
	b = append(b, `,"ms":`...)
	b = strconv.AppendInt(b, int64(1+r.skewed(900)), 10)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, int64(200+r.skewed(60_000)), 10)
	b = append(b, `,"user":"u-`...)
	b = strconv.AppendInt(b, int64(10_000+r.intn(2_000)), 10)
	b = append(b, `","msg":"`...)
	b = append(b, r.pickSkewed(messages)...)
	return append(b, "\"}\n"...)
}

// appendID is seed and index, both padded: 16 hexadecimal digits, a dash, at
// least eight decimal ones.
func appendID(b []byte, seed uint64, i int) []byte {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, digits[seed>>shift&15])
	}
	b = append(b, '-')
	for pad := 10_000_000; pad > i && pad > 1; pad /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(i), 10)
}
