package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/internal/bench/sample"
)

// pass goes over data once and counts its records.
type pass func(data []byte) (records int64, err error)

// peers are what framers are compared with.
var peers = map[string]func() pass{
	"IndexByte": indexByte, "bufio.Scanner": scanner, "encoding/csv": csvReader, "json.Decoder": decoder,
}

// measure goes over data until length is over. The first pass is not counted.
func measure(data []byte, how string, length time.Duration) (sample.One, error) {
	make, ok := peers[how]
	if !ok {
		name, body := strings.CutSuffix(how, " body")
		f, err := frame.Default().Lookup(name)
		if err != nil {
			return sample.One{}, err
		}
		make = func() pass { return framer(f, body) }
	}
	p := make()
	if _, err := p(data); err != nil {
		return sample.One{}, err
	}
	var one sample.One
	for start := time.Now(); one.Wall < length; one.Wall = time.Since(start) {
		for range 8 {
			n, err := p(data)
			if err != nil {
				return one, err
			}
			one.Records += n
			one.Bytes += int64(len(data))
		}
	}
	return one, nil
}

// framer scans data as a slab that stands after others. With body it takes the
// bytes of each record.
func framer(f frame.Framer, body bool) pass {
	s, err := f.New(&frame.Options{Offset: 1})
	var ends []uint32
	total := 0
	return func(data []byte) (int64, error) {
		if err != nil {
			return 0, err
		}
		if ends, err = s.Scan(data, false, ends[:0]); err != nil {
			return 0, err
		}
		if len(ends) == 0 || int(ends[len(ends)-1]) != len(data) {
			return 0, fmt.Errorf("%s: data does not end with a record", f.Name)
		}
		if body {
			from := uint32(0)
			for _, end := range ends {
				total += len(f.Body(data[from:end:end], int64(from)+1))
				from = end
			}
		}
		return int64(len(ends)), nil
	}
}

// indexByte is the least that finding lines takes.
func indexByte() pass {
	return func(data []byte) (n int64, err error) {
		for {
			i := bytes.IndexByte(data, '\n')
			if i < 0 {
				return n, nil
			}
			data = data[i+1:]
			n++
		}
	}
}

func scanner() pass {
	buf := make([]byte, slab)
	var r bytes.Reader
	return func(data []byte) (n int64, err error) {
		r.Reset(data)
		s := bufio.NewScanner(&r)
		s.Buffer(buf, len(buf))
		for s.Scan() {
			n++
		}
		return n, s.Err()
	}
}

func csvReader() pass {
	return func(data []byte) (n int64, err error) {
		r := csv.NewReader(bytes.NewReader(data))
		r.ReuseRecord = true
		for ; ; n++ {
			if _, err := r.Read(); err == io.EOF {
				return n, nil
			} else if err != nil {
				return n, err
			}
		}
	}
}

func decoder() pass {
	var doc json.RawMessage
	return func(data []byte) (n int64, err error) {
		d := json.NewDecoder(bytes.NewReader(data))
		for ; ; n++ {
			if err := d.Decode(&doc); err == io.EOF {
				return n, nil
			} else if err != nil {
				return n, err
			}
		}
	}
}
