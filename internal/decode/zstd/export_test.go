package zstd

// Work is how many entries and weights were made for how many bytes.
func (r *Reader) Work() (work, bytes int64) { return r.d.counts.work, r.done }

const WorkRate = workRate
