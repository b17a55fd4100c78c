package frame

import (
	"slices"
	"strings"
)

// Choice is the framer of an object and why it was taken.
type Choice struct {
	Framer Framer

	// Reason is what spoke for the framer: "explicit", "extension .ndjson",
	// "default", or "default: extension .csv names csv, which is not registered".
	Reason string
}

// formatOf is the framer that an extension names, registered or not.
func formatOf(extension string) (name string, ok bool) {
	switch extension {
	case ".json", ".csv", ".tsv", ".tar", ".warc", ".tfrecord", ".avro", ".parquet":
		return extension[1:], true
	}
	return "", false
}

// Choose finds the framer of an object: the one called name; if that is empty,
// the one for extension, which is what is left of the object's once those of
// codecs are taken off, in any case; else lines. The error is that of [Registry.Lookup].
func (r *Registry) Choose(name, extension string) (Choice, error) {
	if name != "" {
		f, err := r.Lookup(name)
		return Choice{Framer: f, Reason: "explicit"}, err
	}
	return r.ForExtension(extension), nil
}

// ForExtension finds the framer for an extension, such as ".ndjson", in any case.
// It is lines where the extension is empty or names no framer of r.
func (r *Registry) ForExtension(extension string) Choice {
	extension = strings.ToLower(extension)
	for _, f := range slices.Backward(r.framers) {
		if extension != "" && slices.Contains(f.Extensions, extension) {
			return Choice{Framer: f, Reason: "extension " + extension}
		}
	}
	fallback, err := r.Lookup("lines")
	if err != nil {
		fallback = lines()
	}
	reason := "default"
	if format, ok := formatOf(extension); ok {
		reason += ": extension " + extension + " names " + format + ", which is not registered"
	}
	return Choice{Framer: fallback, Reason: reason}
}
