package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

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

// action is what -after says: one field is set, or none to delete.
type action struct {
	moveTo string
	tags   map[string]string
}

func parseAfter(what string) (a action, err error) {
	verb, value, _ := strings.Cut(what, "=")
	name, text, tagged := strings.Cut(value, "=")
	switch {
	case what == "delete":
		return a, nil
	case verb == "move" && value != "":
		return action{moveTo: value}, nil
	case verb == "tag" && tagged && name != "":
		return action{tags: map[string]string{name: text}}, nil
	}
	return a, fmt.Errorf("-after is delete, move=URL or tag=NAME=VALUE, not %q", what)
}

// openAfter opens what -after says. The folder that objects are moved to is made.
func openAfter(ctx context.Context, what string, console *cli.Console) (a *stream.After, end func(), err error) {
	end = func() {}
	if what == "" {
		return nil, end, nil
	}
	does, err := parseAfter(what)
	switch {
	case err != nil:
		return nil, end, err
	case does.tags != nil:
		return after.Tag(does.tags), end, nil
	case does.moveTo == "":
		return after.Delete(), end, nil
	}
	if !strings.Contains(does.moveTo, "://") {
		if err := os.MkdirAll(does.moveTo, 0o777); err != nil {
			return nil, end, err
		}
	}
	to, err := cli.OpenFolder(ctx, does.moveTo, console)
	if err != nil {
		return nil, end, err
	}
	return after.Move(to, ""), func() { to.Close() }, nil
}
