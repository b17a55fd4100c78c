package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/thaw-go/thaw/internal/testing/corpus"
)

// staged says what lies in an object.
type staged struct {
	Records int64
	Decoded int64
}

// stage makes the object of a variant, unless it is there.
func (r *rig) stage(v variant) (path string, records, decoded int64, err error) {
	path = filepath.Join(r.dir, v.command[0]+".ndjson")
	if data, err := os.ReadFile(path + ".json"); err == nil {
		var s staged
		if err := json.Unmarshal(data, &s); err != nil {
			return "", 0, 0, err
		}
		return path, s.Records, s.Decoded, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", 0, 0, err
	}
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return "", 0, 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return "", 0, 0, err
	}
	defer f.Close()
	cmd := exec.Command(v.command[0], v.command[1:]...)
	cmd.Stdout, cmd.Stderr = f, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", 0, 0, err
	}
	if err := cmd.Start(); err != nil {
		return "", 0, 0, err
	}
	// Records of several seeds, repeated: what is compressed is measured, not its
	// making.
	const each = 100_000
	var parts [8][]byte
	for i := range parts {
		parts[i] = corpus.NDJSONBytes(uint64(i+1), each)
	}
	var s staged
	for i := 0; ; i++ {
		info, err := f.Stat()
		if err != nil {
			return "", 0, 0, err
		}
		if float64(info.Size()) >= v.share*float64(r.stored) {
			break
		}
		part := parts[i%len(parts)]
		if _, err := in.Write(part); err != nil {
			return "", 0, 0, err
		}
		s.Records += each
		s.Decoded += int64(len(part))
	}
	err = errors.Join(in.Close(), cmd.Wait())
	if err != nil {
		return "", 0, 0, err
	}
	data, err := json.Marshal(s)
	if err != nil {
		return "", 0, 0, err
	}
	return path, s.Records, s.Decoded, os.WriteFile(path+".json", data, 0o666)
}
