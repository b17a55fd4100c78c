package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/amount"
)

// textParts is how many entries of a list String shows.
const textParts = 8

// String returns a description for people, of several lines that each end with \n. It shows
// the first 8 members.
func (i *Info) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s  %s\n", name, fmt.Sprintf(format, args...))
	}
	list := func(name string, values []string) {
		if len(values) > 0 {
			line(name, "%s", strings.Join(values, ", "))
		}
	}
	line("codec", "%s%s", i.codecs(), i.evidence())
	list("conflicts", i.Detection.Conflicts)
	if i.Detection.Container != "" {
		line("container", "%s, which no framer cuts", i.Detection.Container)
	}
	list("variants", i.Variants)
	line("stored", "%s", amount.Data(i.Size))
	if i.Declared >= 0 {
		line("declared", "%s%s", amount.Data(i.Declared), ratioText(i.Declared, i.Size))
	}
	if i.Decoded >= 0 {
		line("decoded", "%s%s", amount.Data(i.Decoded), ratioText(i.Decoded, i.Size))
	}
	if i.Declared < 0 && i.Decoded < 0 {
		line("declared", "not known")
	}
	claimed := ""
	if i.Claimed > 0 {
		claimed = fmt.Sprintf("; a header claims %s, more than can be used", amount.Memory(i.Claimed))
	}
	line("window", "%s%s", amount.Memory(i.Window), claimed)
	line("memory", "%s for a reader", amount.Memory(i.Memory))
	list("checksums", i.Checksums)
	if len(i.Dictionaries) > 0 {
		line("dictionary", "%s", strings.Trim(fmt.Sprint(i.Dictionaries), "[]"))
	}
	restart := i.Restart
	if restart == "" {
		restart = "nothing but the start"
	}
	line("restart", "at %s", restart)
	for _, l := range []struct {
		name  string
		parts Parts
	}{{"members", i.Members}, {"blocks", i.Blocks}, {"skipped", i.Skipped}, {"units", i.Units}} {
		if l.parts.Count != 0 {
			line(l.name, "%s", l.parts.text())
		}
	}
	list("notes", slices.Concat(i.Detection.Notes, i.Notes))
	list("unknown", i.Unknown)
	line("read", "%s in %s: %s", amount.Data(i.Read), countText(i.Requests, "request"), i.How)
	for _, p := range i.Members.First[:min(len(i.Members.First), textParts)] {
		b.WriteString("  " + p.String() + "\n")
	}
	if rest := i.Members.Count - textParts; rest > 0 {
		fmt.Fprintf(&b, "  and %d more\n", rest)
	}
	return b.String()
}

// codecs are the names of the layers.
func (i *Info) codecs() string {
	if i.Detection.Codec == "" {
		return "unknown"
	}
	return i.Detection.Name()
}

func (i *Info) evidence() string {
	if i.Detection.Evidence == "" {
		return ""
	}
	return ", by " + string(i.Detection.Evidence)
}

// text is the line of a list.
func (l Parts) text() string {
	if l.Count < 0 {
		return "not known"
	}
	return fmt.Sprintf("%d, the largest of %s", l.Count, amount.Data(l.Largest))
}

// String returns a description for people, on one line without \n.
func (p Part) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %d", p.Kind, p.Offset)
	if p.Size >= 0 {
		fmt.Fprintf(&b, ", %d bytes", p.Size)
	}
	if p.Decoded >= 0 {
		fmt.Fprintf(&b, ", decodes to %d", p.Decoded)
	}
	if p.Window > 0 {
		fmt.Fprintf(&b, ", window %s", amount.Memory(p.Window))
	}
	if p.Blocks > 0 {
		b.WriteString(", " + countText(p.Blocks, "block"))
	}
	if p.Checksum != "" {
		b.WriteString(", " + p.Checksum)
	}
	if p.Dictionary != 0 {
		fmt.Fprintf(&b, ", dictionary %d", p.Dictionary)
	}
	return b.String()
}

// countText is n things.
func countText(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// ratioText is how many times more decoded is.
func ratioText(decoded, stored int64) string {
	if stored == 0 || decoded == 0 {
		return ""
	}
	return fmt.Sprintf(", %.2f × stored", float64(decoded)/float64(stored))
}
