package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/codec"
	"github.com/thaw-go/thaw/codec/seek"
	"github.com/thaw-go/thaw/frame"
	"github.com/thaw-go/thaw/stream"
)

// hint says what to do next; empty where nothing is known.
func (c *Console) hint(err error) string {
	if errors.Is(err, ErrNothing) {
		return "nothing lies there or the pattern matches nothing; ** stands for any number of folders"
	}
	if errors.Is(err, errIncomplete) && c.quiet {
		return "without -q each is named with its reason"
	}
	if errors.Is(err, seek.ErrOtherVersion) {
		return "the object was replaced since, or it is the index of another one: thaw index makes a new one"
	}
	if _, ok := errors.AsType[*elsewhere](err); ok && errors.Is(err, codec.ErrCorrupt) {
		return "it is no index, or a damaged one: remove it, and thaw index makes a new one"
	}
	if e, ok := errors.AsType[*blob.Error](err); ok && e.Op == "open" && errors.Is(err, blob.ErrUnsupported) {
		return "no store of this program reads that: download it and name the file; examples/thaw has every store of this module"
	}
	switch {
	case errors.Is(err, stream.ErrManifest):
		return "it is no manifest, or a damaged one, which cannot be continued: see what the file is, and bring a copy back or name another one"
	case errors.Is(err, stream.ErrOtherJob):
		return "name another manifest for this job, or use the source, -to, -frame and -codec of the one that wrote it"
	case errors.Is(err, stream.ErrOwner):
		return "one run at a time: see where the other one runs, and whether it is still wanted"
	}
	if limit, ok := errors.AsType[*codec.LimitError](err); ok {
		if hint := c.allowing(err, limit); hint != "" {
			return hint
		}
	}
	switch stream.ClassOf(err) {
	case stream.ClassMissing:
		return "is the name right? letter case counts, and thaw ls FOLDER shows what is there"
	case stream.ClassDenied:
		return denied(err)
	case stream.ClassArchived:
		return "it is in an archive tier: thaw restore -request WHAT asks for it, and -wait waits"
	case stream.ClassChanged:
		return "it was replaced while it was read: run again"
	case stream.ClassTransient:
		if errors.Is(err, blob.ErrRetryBudget) {
			return "too many requests failed for a moment: run again later"
		}
		return "the store gave no answer that can be used: check endpoint, network and proxy, and run again"
	case stream.ClassTruncated:
		return "the stored bytes end too early: compare the size with the original's and copy it again"
	case stream.ClassCorrupt, stream.ClassChecksum:
		return "the stored bytes are damaged, or their name or -codec is of another codec: check them against the original"
	case stream.ClassTrailing:
		return "what follows the last member is no data of this codec: see what wrote it there"
	case stream.ClassUnsupported:
		switch {
		case errors.Is(err, frame.ErrUnsupported) && errors.Is(err, frame.ErrNoResync):
			return "convert it first: thaw cat writes its bytes, and iconv makes UTF-8 of them"
		case errors.Is(err, frame.ErrUnsupported):
			return "-on-error skip goes on without it, and thaw cat writes the bytes of the whole object"
		}
		return "nothing here reads that: thaw cat -codec none writes the bytes as they are stored, for a program that does"
	case stream.ClassOversized:
		return "allow more with -max-record (and -memory, of which it is an eighth at most), or is another -frame meant?"
	case stream.ClassBadRecord:
		return badRecord(err)
	case stream.ClassLimit:
		return "allow more with -max-window and -memory"
	case stream.ClassDictionary:
		return "-dict FILE has the dictionary that its writer used"
	case stream.ClassCanceled:
		return "interrupted: not everything was read"
	case stream.ClassOther, stream.ClassInvalid:
		if e, ok := errors.AsType[*blob.Error](err); ok && e.Key != "" && e.Op != "put" && !isUsage(err) {
			return "-exclude GLOB leaves it out of a folder or a glob"
		}
	}
	return ""
}

// badRecord says what a framer that disagrees with the data may mean.
func badRecord(err error) string {
	hint := "another -frame, or -on-error skip to go on without it"
	if errors.Is(err, frame.ErrNoResync) {
		hint = "another -frame, or -on-error skip to go on without it and what follows in the object"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends within a record: compare its size with the original's; else " + hint
	}
	return hint
}

// leastWindow is a -max-window beside whose -memory everything else finds room.
const leastWindow = 8 << 20

// allowing returns flags with which the limit does not strike: of -memory half is
// for a window, and what a decoder takes beside its window comes from the same
// half. zstd takes next to nothing beside it, others up to as much again. A -memory
// that is enough stays as it is. A raw block is
// held whole, compressed and decoded.
func (c *Console) allowing(err error, limit *codec.LimitError) string {
	needed, memory := limit.Needed, Size(2)
	switch limit.What {
	case "window", "chunk":
		if needed == 0 {
			needed = 2 * limit.Allowed
		}
		at, ok := errors.AsType[*codec.Error](err)
		if !ok || at.Codec != "zstd" {
			needed *= 2
		}
		if ok && strings.HasSuffix(at.Codec, "-block") {
			memory = 4
		}
	case "memory":
	default:
		return ""
	}
	window := max(roundUp(needed), leastWindow)
	hint := "allow more: -max-window " + window.String()
	if int64(memory*window) > c.memory {
		hint += " -memory " + (memory * window).String()
	}
	return hint
}

// roundUp is the next power of two.
func roundUp(n int64) Size {
	s := int64(1)
	for s < n && s < 1<<60 {
		s *= 2
	}
	return Size(s)
}

// credentials says for each service where its credentials are looked for.
var credentials = map[string]string{
	"s3":     "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; with anonymous=true in the URL, public buckets need none",
	"gs":     "set GOOGLE_APPLICATION_CREDENTIALS to a key file, or run gcloud auth application-default login; with anonymous=true in the URL, public buckets need none",
	"azblob": "set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, or run az login",
}

// denied says where credentials come from, or who may not do what.
func denied(err error) string {
	e, ok := errors.AsType[*blob.Error](err)
	if !ok {
		return ""
	}
	scheme, _, _ := strings.Cut(e.Store, ":")
	if from, ok := credentials[scheme]; ok {
		return "no credentials, or they do not allow it: " + from
	}
	if e.Op == "put" {
		return "this user may not write there"
	}
	return "this user may not read it: change its mode, or -exclude GLOB leaves it out of a folder or a glob"
}
