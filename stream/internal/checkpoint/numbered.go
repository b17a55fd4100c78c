package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/thaw-go/thaw/blob"
)

// numberedBlobs keeps each save in an object of its own, which can only be
// created. The highest number is the manifest, and a run is the owner as long as
// nobody has created the number after its last.
//
// That number may have been created by a newer run and deleted since, as only the
// last two are kept. So objects are deleted in ascending order and only when all
// below are gone: while the run's last object is there, the number after it was
// never deleted. A save counts only if, after it, the object before it is still
// there. Number 0 does the same for number 1: it is made before 1 is deleted, says
// nothing else, and stays.
type numberedBlobs struct {
	manifestBlobs
	key     string
	last    int64   // highest number, written by this run
	version string  // of last
	old     []int64 // numbers below last that may be there, ascending
	forever bool    // the store cannot delete
}

func (n *numberedBlobs) name(number int64) string { return fmt.Sprintf("%s.%09d", n.key, number) }

// number is that of a name.
func (n *numberedBlobs) number(name string) (number int64, ok bool) {
	number, err := strconv.ParseInt(strings.TrimPrefix(name, n.key+"."), 10, 64)
	return number, err == nil && number > 0 && name == n.name(number)
}

// list returns the numbers that are there, ascending.
func (n *numberedBlobs) list(ctx context.Context) ([]int64, error) {
	var numbers []int64
	for obj, err := range n.store.List(&blob.ListOptions{Prefix: n.key + "."}).Objects(ctx, blob.Mark{}) {
		if err != nil {
			return nil, err
		}
		if number, ok := n.number(obj.Key); ok {
			numbers = append(numbers, number)
		}
	}
	return numbers, nil
}

func (n *numberedBlobs) load(ctx context.Context) ([]byte, error) {
	lost := fmt.Errorf("%w: other runs kept taking it over", ErrOwner)
	for range claimTries {
		numbers, err := n.list(ctx)
		if err != nil {
			return nil, err
		}
		var old written
		n.last, n.version = 0, ""
		if len(numbers) > 0 {
			n.last = numbers[len(numbers)-1]
			old, err = n.read(ctx, n.name(n.last))
			if overtaken(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			n.version = old.version
			if err := n.usable(old); err != nil {
				return nil, &blob.Error{Op: "read", Store: n.store.Name(), Key: n.name(n.last), Err: err}
			}
		}
		claim, err := n.create(ctx, old.manifest, n.claim)
		if overtaken(err) || err == nil && !n.mine(claim) {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = n.follow(ctx, claim)
		if errors.Is(err, ErrOwner) {
			lost = err
			continue
		}
		if err != nil {
			return nil, err
		}
		// What is written while a listing runs may be missing from it: nothing
		// may be above the claim, and all below it must be known to prune.
		numbers, err = n.list(ctx)
		if err != nil {
			return nil, err
		}
		if len(numbers) == 0 || numbers[len(numbers)-1] != n.last {
			continue
		}
		n.old = numbers[:len(numbers)-1]
		n.prune(ctx)
		return old.manifest, nil
	}
	return nil, lost
}

func (n *numberedBlobs) save(ctx context.Context, manifest []byte) error {
	var err error
	for range claimTries {
		var now written
		now, err = n.create(ctx, manifest, n.put)
		switch {
		case overtaken(err):
			continue // deleted between conflict and read; follow will tell
		case err != nil:
			return err
		case !n.mine(now):
			return ErrOwner
		}
		if err := n.follow(ctx, now); err != nil {
			return err
		}
		if bytes.Equal(now.manifest, manifest) {
			n.prune(ctx)
			return nil
		}
		// An earlier save whose answer was lost: this one comes after it.
	}
	return fmt.Errorf("no number is free: %w", errors.Join(err, blob.ErrConflict))
}

// create writes the object after the last by put, and returns what is there, which
// may be another one.
func (n *numberedBlobs) create(ctx context.Context, manifest []byte, put putFunc) (written, error) {
	name := n.name(n.last + 1)
	version, err := put(ctx, name, manifest, blob.PutOptions{IfAbsent: true})
	if errors.Is(err, blob.ErrConflict) {
		return n.read(ctx, name)
	}
	return written{manifest: manifest, mark: n.mark, version: version}, err
}

// follow makes next, which this run has written after the last, the last itself,
// if the one before proves that nobody has been there. Otherwise next is out of
// the sequence, below the highest number.
func (n *numberedBlobs) follow(ctx context.Context, next written) error {
	before, err := n.store.Stat(ctx, n.name(n.last))
	var lost error
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case n.last == 0 && err == nil:
		lost = fmt.Errorf("%w, or its objects were deleted but for %q", ErrOwner, n.name(0))
	case n.last > 0 && err != nil:
		lost = fmt.Errorf("%w, or %q was deleted", ErrOwner, n.name(n.last))
	case n.last > 0 && n.version != "" && before.Version != n.version:
		lost = ErrOwner
	}
	if lost != nil {
		// What cannot be deleted is left to the next Load.
		n.store.Delete(ctx, n.name(n.last+1), nil)
		return lost
	}
	if n.last > 0 {
		n.old = append(n.old, n.last)
	}
	n.last, n.version = n.last+1, next.version
	return nil
}

// prune deletes all but the last two, from the lowest on. What fails is tried
// again at the next save; nothing above it is deleted before.
func (n *numberedBlobs) prune(ctx context.Context) {
	for len(n.old) > 1 && !n.forever {
		if n.old[0] == 1 {
			_, err := n.put(ctx, n.name(0), nil, blob.PutOptions{IfAbsent: true})
			if err != nil && !errors.Is(err, blob.ErrConflict) {
				break
			}
		}
		err := n.store.Delete(ctx, n.name(n.old[0]), nil)
		n.forever = errors.Is(err, blob.ErrUnsupported)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		n.old = n.old[1:]
	}
	if n.forever {
		n.old = nil
	}
}
