// Command inflate compares how fast one core decodes gzip: codec gzip, the two Go
// libraries that are used in its place, and the tools igzip and gzip where they
// are installed, all on what gzip -6 makes of the same data.
//
//	go -C internal/bench run ./inflate > docs/results/inflate.md
//
// Every figure is a child process with GOMAXPROCS=1 that decodes bytes in memory
// into a buffer of 256 KiB several times, with the checksum verified. A tool
// decodes a file from the page cache to a pipe that is thrown away; its start is
// part of the figure. The figure is user time. It writes a Markdown table.
package main

import (
	"bytes"
	stdgzip "compress/gzip"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/internal/bench/sample"
)

func main() {
	rounds := flag.Int("rounds", 12, "measurements of each variant, taken in turns")
	passes := flag.Int("passes", 8, "how often a child decodes")
	size := flag.Int("size", 16, "decoded `MB` of each kind of data, at most")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "thaw-bench-inflate"), "where the files are made and kept")
	flag.Parse()
	sample.Child(func(variant string) (sample.One, error) {
		runtime.GOMAXPROCS(1)
		kind, by, _ := strings.Cut(variant, " ")
		return measure(fileName(*dir, kind, *size), by, *passes)
	})
	if err := compare(*dir, *size, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "inflate:", err)
		os.Exit(1)
	}
}

const thaw = "thaw"

// decoders other than tools. Each is opened once and reset.
var decoders = map[string]func() (decoder, error){
	thaw: func() (decoder, error) {
		c, _ := codec.Default().Lookup("gzip")
		return c.NewReader(bytes.NewReader(nil), new(codec.Options))
	},
	"klauspost/compress/gzip": func() (decoder, error) { return new(gzip.Reader), nil },
	"compress/gzip":           func() (decoder, error) { return new(stdgzip.Reader), nil },
}

type decoder interface {
	io.Reader
	Reset(io.Reader) error
}

// rivals are the decoders beside thaw, tools last.
func rivals() []string {
	by := []string{"klauspost/compress/gzip", "compress/gzip"}
	for _, tool := range []string{"igzip", "gzip"} {
		if _, err := exec.LookPath(tool); err == nil {
			by = append(by, tool)
		}
	}
	return by
}

// measure decodes the file at path passes times.
func measure(path, by string, passes int) (sample.One, error) {
	one := sample.One{}
	began := time.Now()
	open, library := decoders[by]
	if !library {
		for range passes {
			n := counter(0)
			cmd := exec.Command(by, "-dc", path)
			cmd.Stdout = &n
			if err := cmd.Run(); err != nil {
				return one, err
			}
			one.Bytes += int64(n)
			one.User += cmd.ProcessState.UserTime()
		}
		one.Wall = time.Since(began)
		return one, nil
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		return one, err
	}
	d, err := open()
	if err != nil {
		return one, err
	}
	p := make([]byte, 256<<10)
	before := userTime()
	for range passes {
		err := d.Reset(bytes.NewReader(stored))
		for n := 0; err == nil; one.Bytes += int64(n) {
			n, err = d.Read(p)
		}
		if err != io.EOF {
			return one, err
		}
	}
	one.User, one.Wall = userTime()-before, time.Since(began)
	return one, nil
}

// counter throws away what is written and counts it.
type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func userTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano())
}

// compare measures all kinds of data and prints the tables.
func compare(dir string, size, rounds int) error {
	fmt.Printf("# Inflate on one core\n\n")
	fmt.Printf("%s. Command: `go -C internal/bench run ./inflate %s`. %d rounds, variants in turns, median [interval "+
		"of at least 95 %%]. Tools: %s.\n\n", sample.Machine(), strings.Join(os.Args[1:], " "), rounds, versions())
	fmt.Printf("MB/s are decoded bytes for each second of user time. The last column is the user time of the row against " +
		"that of thaw, round by round: above 1, thaw needs less.\n\n")
	fmt.Println("| data | MB | ratio | decoder | MB/s of a core | its user time against thaw's |")
	fmt.Println("|---|---|---|---|---|---|")
	times := map[string][]float64{}
	for _, kind := range kinds {
		decoded, stored, err := stage(dir, kind, size)
		if err != nil {
			return err
		}
		names := []string{kind + " " + thaw}
		for _, by := range rivals() {
			names = append(names, kind+" "+by)
		}
		all, err := sample.Run(names, rounds, func(r int) {
			fmt.Fprintf(os.Stderr, "\r%s: round %d of %d ", kind, r+1, rounds)
		})
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return err
		}
		user := func(o sample.One) float64 { return o.User.Seconds() }
		for _, name := range names {
			_, by, _ := strings.Cut(name, " ")
			for _, o := range all[name] {
				if o.Bytes != all[names[0]][0].Bytes || o.Bytes%decoded != 0 {
					return fmt.Errorf("%s decoded %d bytes, want a multiple of %d", name, o.Bytes, decoded)
				}
			}
			rate := sample.Median(sample.Each(all[name], func(o sample.One) float64 { return float64(o.Bytes) / 1e6 / user(o) }))
			against := "1"
			if by != thaw {
				ratio := sample.Median(sample.Ratio(all[name], all[names[0]], user))
				times[by] = append(times[by], ratio.Median)
				against = fmt.Sprintf("%.2f [%.2f, %.2f]", ratio.Median, ratio.Low, ratio.High)
			}
			fmt.Printf("| %s | %.1f | %.2f | %s | %.0f [%.0f, %.0f] | %s |\n", kind, float64(decoded)/1e6,
				float64(decoded)/float64(stored), by, rate.Median, rate.Low, rate.High, against)
		}
	}
	fmt.Printf("\n| decoder | geometric mean of its user time against thaw's | least |\n|---|---|---|\n")
	for _, by := range rivals() {
		mean, least := 0.0, math.Inf(1)
		for _, t := range times[by] {
			mean += math.Log(t) / float64(len(times[by]))
			least = min(least, t)
		}
		fmt.Printf("| %s | %.2f | %.2f |\n", by, math.Exp(mean), least)
	}
	return nil
}

// versions lists the tools with their first line about themselves.
func versions() string {
	var list []string
	for _, by := range rivals() {
		if _, library := decoders[by]; library {
			continue
		}
		out, _ := exec.Command(by, "--version").CombinedOutput()
		line, _, _ := strings.Cut(string(out), "\n")
		list = append(list, line)
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
