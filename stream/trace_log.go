package stream

import (
	"log/slog"
)

// LogTrace is a Trace that logs to l: failures, failed saves and blocked sinks as warnings, jobs
// as information, objects, requests, saves and progress for debugging.
func LogTrace(l *slog.Logger) *Trace {
	return &Trace{
		JobStart: func(e JobStart) {
			l.Info("backfill starts", "source", e.Source, "lanes", e.Lanes, "workers", e.Workers,
				"memory", e.Memory, "resumed", e.Resumed)
		},
		JobEnd: func(e JobEnd) {
			args := []any{"source", e.Source, "elapsed", e.Elapsed, "complete", e.Report.Complete(),
				"objects", e.Report.Counts.Done.Objects, "records", e.Report.Counts.Delivered()}
			if e.Err != nil {
				l.Warn("backfill ends", append(args, "err", e.Err)...)
				return
			}
			l.Info("backfill ends", args...)
		},
		ObjectStart: func(e ObjectStart) {
			l.Debug("object starts", "lane", e.Lane, loggedKey(e.Object.Key), "size", e.Object.Size,
				"codec", e.Detection.Codec, "evidence", string(e.Detection.Evidence), "framer", e.Framer, "record", e.Resumed)
		},
		ObjectEnd: func(e ObjectEnd) {
			args := []any{"lane", e.Lane, loggedKey(e.Object.Key), "stored", e.Stored, "decoded", e.Decoded,
				"records", e.Records, "elapsed", e.Elapsed}
			if e.Err != nil {
				args = append(args, "err", e.Err)
			}
			l.Debug("object ends", args...)
		},
		Request: func(e Request) {
			args := []any{"lane", e.Lane, loggedKey(e.Key), "offset", e.Offset, "got", e.Got,
				"attempt", e.Attempt, "firstbyte", e.FirstByte, "elapsed", e.Total}
			if e.Err != nil {
				args = append(args, "err", e.Err)
			}
			l.Debug("request", args...)
		},
		Failure: func(e Failure) {
			l.Warn("failure", "lane", e.Lane, loggedKey(e.Err.Key), "class", e.Err.Class.String(),
				"action", e.Action.String(), "err", e.Err)
		},
		Checkpoint: func(e CheckpointSave) {
			if e.Err != nil {
				l.Warn("checkpoint failed", "bytes", e.Bytes, "elapsed", e.Elapsed, "err", e.Err)
				return
			}
			l.Debug("checkpoint", "bytes", e.Bytes, "elapsed", e.Elapsed)
		},
		After: func(e AfterEnd) {
			args := []any{loggedKey(e.Object.Key), "kept", e.Kept, "elapsed", e.Elapsed}
			if e.Err != nil {
				l.Warn("after failed", append(args, "err", e.Err)...)
				return
			}
			l.Debug("after", args...)
		},
		SinkBlocked: func(e SinkBlocked) {
			l.Warn("sink does not return", "lane", e.Lane, "stage", e.Stage, "elapsed", e.Elapsed)
		},
		Progress: func(e Progress) {
			l.Debug("progress", "elapsed", e.Elapsed, "listed", e.Listed, "done", e.Done,
				"deferred", e.Deferred, "stored", e.Stored, "decoded", e.Decoded, "records", e.Records)
		},
	}
}
