// Profile reads everything under a folder, or what it makes itself, and says
// where the time went. It reads local files only, so that it builds quickly;
// examples/thaw is the whole tool.
package main

import (
	"context"
	"io"

	_ "github.com/thaw-go/thaw/blob/filestore"
	_ "github.com/thaw-go/thaw/blob/memstore"
	"github.com/thaw-go/thaw/examples/internal/cli"
	"github.com/thaw-go/thaw/examples/internal/profile"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return profile.Run(ctx, "profile", args, stdout, stderr)
}
