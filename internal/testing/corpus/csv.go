package corpus

import (
	"io"
	"strconv"
	"time"
)

// CSVHeader is the first line of what CSV writes, without its end.
const CSVHeader = "id,ts,customer,country,amount,currency,note"

var (
	countries  = []string{"DE", "FR", "GB", "US", "IN", "BR", "JP"}
	currencies = []string{"EUR", "USD", "GBP", "INR", "JPY"}

	// notes are stored as RFC 4180 wants them: quoted where they hold a comma, a
	// quote or a line end.
	notes = []string{
		"", "", "", "gift", "express", "left with a neighbour",
		`"leave at the door, please"`,
		`"marked ""fragile"""`,
		"\"ring twice\nthen wait\"",
		"\"first line\r\nsecond line, with a comma\"",
	}
)

// CSV writes [CSVHeader] and as many rows as records says, each ended by \n, as
// RFC 4180 describes. About one row in ten has a quoted field with a line end
// inside, so there are more lines than rows. Ids are unique as those of NDJSON.
func CSV(w io.Writer, seed uint64, records int) error {
	r, s := newRNG(seed), newSink(w)
	s.buf = append(s.buf, CSVHeader+"\n"...)
	at := epoch
	for i := range records {
		at = at.Add(time.Duration(r.skewed(3_000)) * time.Millisecond)
		s.buf = appendRow(s.buf, r, seed, i, at)
		if err := s.flush(false); err != nil {
			return err
		}
	}
	return s.flush(true)
}

// CSVBytes is what CSV writes.
func CSVBytes(seed uint64, records int) []byte {
	return gather(func(w io.Writer) error { return CSV(w, seed, records) })
}

func appendRow(b []byte, r *rng, seed uint64, i int, at time.Time) []byte {
	b = appendID(b, seed, i)
	b = append(b, ',')
	b = at.AppendFormat(b, "2006-01-02 15:04:05")
	b = append(b, ",c-"...)
	b = strconv.AppendInt(b, int64(1_000+r.skewed(4_000)), 10)
	b = append(b, ',')
	b = append(b, r.pickSkewed(countries)...)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(1+r.skewed(400)), 10)
	b = append(b, '.', '0'+byte(r.intn(10)), '9', ',')
	b = append(b, r.pickSkewed(currencies)...)
	b = append(b, ',')
	b = append(b, r.pick(notes)...)
	return append(b, '\n')
}
