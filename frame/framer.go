package frame

// Framer is the recipe of one way to separate records. Name and New are required.
type Framer struct {
	// Name is how options, reports and manifests call the framer, with its
	// parameter if it has one: "lines", "delim:00".
	Name string

	// Extensions of object names, after those of codecs are taken off, lower
	// case with the dot: ".ndjson".
	Extensions []string

	// Text marks formats in which a byte order mark at offset 0 of an object
	// belongs to no record. One of UTF-16 or UTF-32 is refused there, with an error
	// that wraps ErrUnsupported and ErrLost.
	Text bool

	// New makes a Scanner that stands at opts.Offset. opts is never nil.
	New func(opts *Options) (Scanner, error)

	// Body gives the record within its raw bytes; offset is the decoded offset
	// of raw in the object. The result shares raw's memory. Where a caller cuts
	// records that are too long, raw is the first bytes of one. Nil: raw is the
	// record.
	Body func(raw []byte, offset int64) []byte
}

// Scanner finds record ends.
//
// The slab of a call begins at the end of the last record that the Scanner
// reported: the bytes behind it are given again, followed by new ones. A Scanner
// may remember how far it has looked, so that a long record is not looked through
// twice. It keeps no reference to the slab.
type Scanner interface {
	// Scan appends to ends the offset in slab behind each record that is
	// complete, in strictly ascending order, and returns ends. eof says that no
	// bytes follow slab; then every byte that belongs to a record must be inside
	// one, what is left behind the last end belongs to none (blank lines), and
	// Scan is not called again. The end of the object is always told so, with an
	// empty slab if need be: a format may miss something there. Where the object
	// ends with a record that was left out, it is not.
	//
	// To report an end a Scanner may wait for up to 64 KiB after it.
	//
	// An error is of the record that begins at the last end: *[Error] with its
	// Offset from there. Ends appended by the same call are good.
	Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error)

	// State is what New needs, as Options.State, to go on behind the last end
	// reported; nil when the offset is enough. At most 64 KiB.
	State() []byte
}

// Resyncer is implemented by Scanners that can find the next record after a bad
// or an oversized one.
type Resyncer interface {
	// Resync is given the bytes from the start of the bad record and then, until
	// it is done, those that follow. It returns how many of them to leave out.
	// The rest, less than 64 KiB, is given again, followed by new bytes. done says
	// that the next Scan begins with the rest, at the start of a record. At eof it
	// is always done. A caller may refuse a Scanner that leaves nothing out and then
	// reports the same record again. Only what is bad is left out: a good record
	// after it, whose start can be told, is where the next Scan begins.
	//
	// After an error that wraps [ErrLost] there is nothing to find: the rest of
	// the object cannot be told apart, and Resync leaves it all out.
	Resync(slab []byte, eof bool) (n int, done bool)
}

// Options configures a Scanner.
type Options struct {
	// Offset is the decoded offset in the object at which the Scanner starts; 0
	// is its start. Elsewhere it is a record's end.
	Offset int64

	// State is what [Scanner].State gave at Offset.
	State []byte

	// MaxRecord is the size in bytes beyond which the caller refuses a record.
	// A Scanner that can tell a record's size from its header refuses earlier
	// and need not buffer. 0 means no limit.
	MaxRecord int
}
