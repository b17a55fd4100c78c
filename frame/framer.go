package frame

// Framer is the recipe of one format of records. Name and New are required. New and Body
// may be called by several goroutines at once. A Framer is a value: a change to a copy of
// it, as in the Extensions of a built-in framer, changes nothing else.
type Framer struct {
	// Name is how options, reports and manifests call the framer, with its
	// parameter if it has one: "lines", "delim:00".
	Name string

	// Extensions are extensions of object names, in lower case with the dot:
	// ".ndjson". Those of codecs are removed from a name before it is compared. Nil
	// means that only the name chooses the framer.
	Extensions []string

	// New returns a Scanner for the bytes from opts.Offset on. opts is never nil. It
	// returns an error if opts.State is not a state of this framer.
	New func(opts *Options) (Scanner, error)

	// Body returns the body of a record as a part of raw, its raw bytes. offset is
	// the decoded offset of raw in the object. If the caller shortens records that are
	// too long, raw is the first bytes of one. A nil Body means that the body is the
	// raw bytes.
	Body func(raw []byte, offset int64) []byte

	// HasHeader says that the raw bytes of an object's first record begin with a header
	// that is no record, as those of csv:header do. Reports mention it if that record is
	// too long.
	HasHeader bool
}

// Scanner finds the ends of records in the bytes of one object. It belongs to one
// goroutine.
//
// The slab of each call begins at the last end that the Scanner has reported. The bytes
// after that end are passed again, followed by new ones: for lines, a slab of "a\nb" may
// be followed by one of "bc\n". A Scanner may remember how far it has looked, so that it looks at a long
// record once. It keeps no reference to the slab.
type Scanner interface {
	// Scan appends to ends the offset in slab just after each complete record, in
	// strictly ascending order, and returns ends.
	//
	// eof says that no bytes follow slab. All bytes that belong to a record must then
	// be before an end, and bytes after the last end, such as blank lines, belong to
	// none. Scan is not called again. It is called with eof once, with an empty slab
	// if need be, because a format may require more at the end. It is not called so
	// if Resync has left out the object's last record.
	//
	// A Scanner may wait for up to 64 KiB after an end before it reports it.
	//
	// An error is that of the record that begins at the last end. It is an [*Error]
	// whose Offset counts from there. Ends that the same call has appended are valid.
	Scan(slab []byte, eof bool, ends []uint32) ([]uint32, error)

	// State returns what New needs, as Options.State, to continue after the last end
	// that was reported. Nil means that the offset is enough. It has at most 64 KiB. Nobody
	// changes it later: manifests hold it.
	State() []byte
}

// Resyncer is implemented by Scanners that can find the next record after one that is
// bad or too long.
type Resyncer interface {
	// Resync receives the bytes from the start of the bad record and, until it is
	// done, those that follow. It returns how many of them to leave out. The rest,
	// less than 64 KiB, is passed again, followed by new bytes. done reports that the
	// next Scan begins with the rest, at the start of a record. At eof it is always
	// done.
	//
	// Resync leaves out no more than what is bad: the next Scan begins with the first
	// good record after it whose start can be recognized. A caller may fail if Resync
	// leaves nothing out and Scan then reports the same bad record again.
	//
	// After an error that wraps [ErrNoResync], Resync leaves out the rest of the object.
	Resync(slab []byte, eof bool) (n int, done bool)
}

// Options configures a Scanner. The zero value is the start of an object, with no limit.
type Options struct {
	// Offset is the decoded offset in the object at which the Scanner starts. 0 is
	// the object's start; any other is the end of a record.
	Offset int64

	// State is what Scanner.State returned at Offset. Nil at offset 0.
	State []byte

	// MaxRecord is the size in bytes beyond which the caller refuses a record,
	// framing included. A Scanner that learns a record's size from its header
	// refuses the record at once with [ErrTooLong], and need not wait for its bytes.
	// 0 means no limit.
	MaxRecord int
}
