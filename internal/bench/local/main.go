// Command local compares two ways to read every byte of a folder of files that the
// system's cache holds, on one goroutine with one buffer:
//
//	file  os.File.Read
//	blob  blob.Store.NewReader on blob/filestore
//
// It writes a Markdown table.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/thaw-go/thaw/blob"
	_ "github.com/thaw-go/thaw/blob/filestore"
	"github.com/thaw-go/thaw/internal/bench/sample"
)

func main() {
	rounds := flag.Int("rounds", 20, "measurements of each variant, taken in turns")
	files := flag.Int("files", 8, "files in the folder")
	size := flag.Int("size", 64<<20, "bytes of each")
	dir := flag.String("dir", filepath.Join(os.TempDir(), "thaw-bench-local"), "where the files are made and kept")
	flag.Parse()
	sample.Child(func(variant string) (sample.One, error) {
		how, buffer, _ := strings.Cut(variant, " ")
		n, err := strconv.Atoi(buffer)
		if err != nil {
			return sample.One{}, err
		}
		read := map[string]func(string, []byte) (int64, error){"file": byFile, "blob": byBlob}[how]
		p := make([]byte, n)
		if _, err := read(*dir, p); err != nil { // pages of code and buffer
			return sample.One{}, err
		}
		before, start := sample.CPU(), time.Now()
		got, err := read(*dir, p)
		return sample.One{Wall: time.Since(start), CPU: sample.CPU() - before, Bytes: got}, err
	})
	if err := run(*dir, *files, *size, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "local:", err)
		os.Exit(1)
	}
}

func run(dir string, files, size, rounds int) error {
	if err := stage(dir, files, size); err != nil {
		return err
	}
	fmt.Printf("# Local files: %d of %d MiB\n\n", files, size>>20)
	fmt.Printf("%s. Command: `go -C internal/bench run ./local %s`. %d rounds, variants in turns, "+
		"median [interval of at least 95 %%].\n\n", sample.Machine(), strings.Join(os.Args[1:], " "), rounds)
	fmt.Println("| buffer | variant | GB/s | wall against file | CPU against file |")
	fmt.Println("|---|---|---|---|---|")
	for _, buffer := range []int{64 << 10, 128 << 10, 1 << 20} {
		names := []string{fmt.Sprintf("file %d", buffer), fmt.Sprintf("blob %d", buffer)}
		all, err := sample.Run(names, rounds, func(r int) {
			fmt.Fprintf(os.Stderr, "\r%d KiB: round %d of %d ", buffer>>10, r+1, rounds)
		})
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return err
		}
		base := all[names[0]]
		for _, name := range names {
			ones := all[name]
			if want := int64(files) * int64(size); ones[0].Bytes != want {
				return fmt.Errorf("%s read %d bytes, want %d", name, ones[0].Bytes, want)
			}
			rate := sample.Median(sample.Each(ones, func(o sample.One) float64 { return float64(o.Bytes) / o.Wall.Seconds() / 1e9 }))
			wall := sample.Median(sample.Ratio(ones, base, func(o sample.One) float64 { return o.Wall.Seconds() }))
			cpu := sample.Median(sample.Ratio(ones, base, func(o sample.One) float64 { return o.CPU.Seconds() }))
			how, _, _ := strings.Cut(name, " ")
			fmt.Printf("| %d KiB | %s | %s | %s | %s |\n", buffer>>10, how, text(rate), text(wall), text(cpu))
		}
	}
	return nil
}

func text(i sample.Interval) string {
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Median, i.Low, i.High)
}

// stage writes the files once.
func stage(dir string, files, size int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data := make([]byte, size)
	rng := rand.NewChaCha8([32]byte{1})
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("%03d", i))
		if info, err := os.Stat(path); err == nil && info.Size() == int64(size) {
			continue
		}
		rng.Read(data)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func byFile(dir string, p []byte) (total int64, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return total, err
		}
		n, err := drain(f, p)
		f.Close()
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func byBlob(dir string, p []byte) (total int64, err error) {
	ctx := context.Background()
	src, err := blob.OpenSource(ctx, dir+"/", nil)
	if err != nil {
		return 0, err
	}
	defer src.Store.Close()
	for obj, err := range src.Objects(ctx, blob.Mark{}) {
		if err != nil {
			return total, err
		}
		r, err := src.Store.NewReader(ctx, obj.Key, &blob.ReaderOptions{Object: &obj})
		if err != nil {
			return total, err
		}
		n, err := drain(r, p)
		r.Close()
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func drain(r io.Reader, p []byte) (total int64, err error) {
	for {
		n, err := r.Read(p)
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
