package frame

import (
	"slices"
	"strings"
)

// Evidence is the reason for the choice of a framer.
type Evidence string

// The reasons, strongest first.
const (
	ByChoice    Evidence = "explicit"  // a name was passed
	ByExtension Evidence = "extension" // of the object's name
	ByDefault   Evidence = "default"   // neither: lines
)

// Choice is the framer of an object, and why it was chosen.
type Choice struct {
	Framer   Framer
	Evidence Evidence

	// Conflicts is evidence for another framer. "extension says avro" is that of an
	// object a.avro that is split into lines, since the Registry has no framer for
	// .avro. Nil means that there is none.
	Conflicts []string
}

// formatOf returns the format of records that an extension names, whether or not
// there is a framer for it.
func formatOf(extension string) (name string, ok bool) {
	switch extension {
	case ".json", ".csv", ".tsv", ".tar", ".warc", ".tfrecord", ".avro", ".parquet":
		return extension[1:], true
	}
	return "", false
}

// Choose returns the framer of an object: the one called name or, if name is empty,
// the one for extension, or else lines. extension, such as ".ndjson" in any case, is
// the last extension of the object's name without those of codecs; "" means none. The
// error is that of [Registry.Lookup].
func (r *Registry) Choose(name, extension string) (Choice, error) {
	if name != "" {
		f, err := r.Lookup(name)
		return Choice{Framer: f, Evidence: ByChoice}, err
	}
	extension = strings.ToLower(extension)
	for _, f := range r.framers {
		if extension != "" && slices.Contains(f.Extensions, extension) {
			return Choice{Framer: f, Evidence: ByExtension}, nil
		}
	}
	c := Choice{Evidence: ByDefault}
	var ok bool
	if c.Framer, ok = r.find("lines"); !ok {
		c.Framer = lines()
	}
	if format, ok := formatOf(extension); ok {
		c.Conflicts = []string{"extension says " + format}
	}
	return c, nil
}
