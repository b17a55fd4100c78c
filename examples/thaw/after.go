package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/stream"
	"github.com/thaw-go/thaw/stream/after"
)

// checkAfter refuses an action upon objects whose records nobody is known to keep.
func checkAfter(what, to string) error {
	if what == "" {
		return nil
	}
	if _, err := parseAfter(what); err != nil {
		return err
	}
	if to == "null" || to == "stdout" {
		return errors.New("-after acts upon objects whose records are kept: say -to dir:PATH or -to URL")
	}
	return nil
}

// parseAfter returns where -after moves objects, empty if it deletes them.
func parseAfter(what string) (moveTo string, err error) {
	moveTo, moves := strings.CutPrefix(what, "move=")
	switch {
	case what == "delete":
		return "", nil
	case moves && moveTo != "":
		return moveTo, nil
	}
	return "", fmt.Errorf("-after is delete or move=URL, not %q", what)
}

// openAfter opens what -after says. The folder that objects are moved to is made.
func openAfter(ctx context.Context, what string, console *cli.Console) (a *stream.After, end func(), err error) {
	end = func() {}
	if what == "" {
		return nil, end, nil
	}
	place, err := parseAfter(what)
	if err != nil || place == "" {
		return after.Delete(), end, err
	}
	if !strings.Contains(place, "://") {
		if err := os.MkdirAll(place, 0o777); err != nil {
			return nil, end, err
		}
	}
	var to *blob.Store
	if to, err = cli.OpenFolder(ctx, place, console); err != nil {
		return nil, end, err
	}
	return after.Move(to, ""), func() { to.Close() }, nil
}
