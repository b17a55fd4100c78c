package stream

import (
	"strings"

	"github.com/thaw-go/thaw/blob"
	"github.com/thaw-go/thaw/stream/internal/checkpoint"
)

// ObjectKeeper is implemented by a Checkpoint or a Sink whose objects a source may list.
// Keeps reports whether the object of a name, as [blob.Store.ObjectName] has it, is one of
// those that it writes: the job leaves it out and counts it as Own. Keeps is called by
// one goroutine at a time.
type ObjectKeeper interface {
	Keeps(name string) bool
}

// isOwn reports whether the job itself writes obj.
func (j *job) isOwn(obj blob.Object) bool {
	keeper, keeps := j.opts.Checkpoint.(ObjectKeeper)
	sink, sinkKeeps := j.sink.(ObjectKeeper)
	if !keeps && !sinkKeeps && len(j.opts.Writes) == 0 && j.opts.After == nil {
		return false
	}
	name := j.src.Store.ObjectName(obj.Key)
	if keeps && keeper.Keeps(name) || sinkKeeps && sink.Keeps(name) || j.opts.After.writes(name) {
		return true
	}
	for _, w := range j.opts.Writes {
		if w == name || !strings.Contains(w, "://") && checkpoint.IsFile(name, w) {
			return true
		}
	}
	return false
}
