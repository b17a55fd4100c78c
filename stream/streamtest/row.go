package streamtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Row is one record of the suite's objects. Its Data is a JSON object with these
// fields, on a line of its own.
type Row struct {
	Object string `json:"object"` // key of the object
	Index  int64  `json:"index"`  // Record.Index
	Text   string `json:"text"`
}

// ErrRow is the error of [ParseRow] for Data that is no Row.
var ErrRow = errors.New("streamtest: not a row")

// ParseRow makes the Row of a record's Data. It keeps no reference to data. An error
// wraps [ErrRow]: a Sink under test with Place.Refuses refuses such a record.
func ParseRow(data []byte) (Row, error) {
	var r Row
	if err := json.Unmarshal(data, &r); err != nil {
		return Row{}, fmt.Errorf("%w: %w", ErrRow, err)
	}
	return r, nil
}

// object is one object of the suite.
type object struct {
	key  string
	rows []Row   // with the indices that refused records leave
	bad  []int64 // indices of what is no row
	data []byte
}

// newObject makes an object of n rows. Every badEvery-th record is no row; 0 means
// none. Texts have up to most bytes, and none of them is that of another row.
func newObject(key string, n, badEvery, most int) *object {
	o := &object{key: key}
	var b bytes.Buffer
	for i := range int64(n) {
		if badEvery > 0 && i%int64(badEvery) == int64(badEvery)-1 {
			o.bad = append(o.bad, i)
			fmt.Fprintf(&b, "no row %d\n", i)
			continue
		}
		mark := fmt.Sprintf("%q %d ", key, i)
		r := Row{key, i, strings.Repeat(mark, 1+int(i*7919+int64(n))%(1+most/len(mark)))}
		o.rows = append(o.rows, r)
		line, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	o.data = b.Bytes()
	return o
}

// sizes are the objects of most cases: none, few and many records, and some that
// outgrow a buffer.
func sizes(badEvery int) []*object {
	return []*object{
		newObject("a empty", 0, 0, 0), newObject("b one", 1, 0, 100), newObject("c few", 9, badEvery, 100),
		newObject("d many", 3000, badEvery, 200), newObject("e large", 12, badEvery, 100_000), newObject("f many", 1500, badEvery, 200),
		newObject("g few", 20, badEvery, 10), newObject("h one", 1, 0, 10),
	}
}

// arrived compares the rows of o that are durable with those that have to be: all of
// o.rows, or the first least where the object failed. Rows that are there twice
// are repetitions; a new one is never ahead of one that is missing.
func arrived(o *object, got []Row, least int, once bool) error {
	next := 0 // the next row that was not seen
	for _, r := range got {
		at := int(r.Index) - missing(o.bad, r.Index)
		if at < 0 || at >= len(o.rows) || o.rows[at] != r {
			return fmt.Errorf("%s: record %d is durable as %.100q, which is no record of the object", o.key, r.Index, fmt.Sprint(r))
		}
		switch {
		case at > next:
			return fmt.Errorf("%s: record %d is durable before record %d", o.key, r.Index, o.rows[next].Index)
		case at < next && once:
			return fmt.Errorf("%s: record %d is there twice, and was written once", o.key, r.Index)
		case at == next:
			next++
		}
	}
	if next < least {
		return fmt.Errorf("%s: %d of %d records are durable", o.key, next, least)
	}
	return nil
}

// missing counts the indices of bad below index.
func missing(bad []int64, index int64) (n int) {
	for n < len(bad) && bad[n] < index {
		n++
	}
	return n
}
