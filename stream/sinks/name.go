package sinks

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// suffix ends the names of files, and of no folder.
const suffix = ".ndjson"

// longest is how many bytes an element of a name has at most, before a suffix and a mark.
const longest = 200

// Name is the name under which [Files] and [Objects] write the object of a key: a relative
// path with slashes that ends in ".ndjson". Different keys have different names, and no
// name is the folder of another, also where case does not count.
//
// "logs/2026-01-01/a.gz" becomes "logs/2026-01-01/a.gz.ndjson". A byte other than a to z, 0
// to 9, "-", "_", "=", "," and "." becomes "%" and two hex digits, and so does
//
//   - a dot that begins or ends an element, so that there is no "." or "..";
//   - the last dot of a folder that ends in ".ndjson";
//   - the first letter of a name that Windows reserves, such as "con" or "nul.txt".
//
// An empty element becomes "%". An element that would be longer than 200 bytes is
// split into folders of which all but the last end in "%".
func Name(key string) string {
	var name strings.Builder
	rest, more := key, true
	for more {
		var element string
		element, rest, more = strings.Cut(rest, "/")
		for n := fitting(element); n < len(element); n = fitting(element) {
			name.WriteString(escape(element[:n], true) + "%/")
			element = element[n:]
		}
		name.WriteString(escape(element, more))
		if more {
			name.WriteByte('/')
		}
	}
	return name.String() + suffix
}

// Key is the key whose [Name] is name. If there is none, the error wraps fs.ErrInvalid.
func Key(name string) (string, error) {
	invalid := &fs.PathError{Op: "key", Path: name, Err: fs.ErrInvalid}
	path, ok := strings.CutSuffix(name, suffix)
	if !ok {
		return "", invalid
	}
	elements := strings.Split(path, "/")
	var key strings.Builder
	for i, e := range elements {
		continued := len(e) > 1 && e[len(e)-1] == '%'
		if e == "%" {
			e = ""
		}
		if continued {
			e = e[:len(e)-1]
		}
		for i := 0; i < len(e); i++ {
			c := e[i]
			if c == '%' {
				n, err := strconv.ParseUint(e[i+1:min(i+3, len(e))], 16, 8)
				if err != nil {
					return "", invalid
				}
				c, i = byte(n), i+2
			}
			key.WriteByte(c)
		}
		if i < len(elements)-1 && !continued {
			key.WriteByte('/')
		}
	}
	if Name(key.String()) != name { // another spelling of a name
		return "", invalid
	}
	return key.String(), nil
}

// fitting is how many bytes of element have room in one element of a name.
func fitting(element string) int {
	n := 0
	for i := range len(element) {
		n++
		if !plain(element[i]) || element[i] == '.' || i == 0 {
			n += 2
		}
		if n > longest {
			return i
		}
	}
	return len(element)
}

// plain reports whether c is itself in a name, but for the exceptions of escape.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-_=,.", c) >= 0
}

// escape is one element of a key as it is in the name.
func escape(element string, folder bool) string {
	if element == "" {
		return "%"
	}
	var b strings.Builder
	for i := range len(element) {
		c := element[i]
		as := plain(c)
		switch {
		case c == '.' && (i == 0 || i == len(element)-1),
			c == '.' && folder && element[i:] == suffix,
			i == 0 && reserved(element):
			as = false
		}
		if as {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// reserved reports whether Windows takes a name, whatever follows its first dot, for a
// device.
func reserved(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && base[3] >= '0' && base[3] <= '9'
}
