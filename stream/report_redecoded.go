package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/thaw-go/thaw/internal/amount"
)

// Redecoded says what was decoded once more, and why. What a run that was killed had
// decoded beyond its last save is not known, and not among it.
type Redecoded struct {
	// Reasons has an element for each reason that there was, in the order of the
	// constants. Their bytes add up to Counts.Redecoded.
	Reasons []RedecodedTotal `json:"reasons"`

	// Objects are the first 100 objects, in the order in which they were met. An object
	// has an element for each reason.
	Objects []RedecodedObject `json:"objects"`
}

// RedecodedTotal is what was decoded again for one reason.
type RedecodedTotal struct {
	Reason  RedecodeReason `json:"reason"`
	Objects int64          `json:"objects"`
	Decoded int64          `json:"redecoded_bytes"` // decoded once more
}

// maxRedecoded is how many elements Redecoded.Objects has at most.
const maxRedecoded = 100

// redecodedPlaces are where Redecoded has an object, by reason: 0 for nowhere, else 1 + the
// index in Objects, or beyond what is kept there.
type redecodedPlaces [len(redecodeReasons)]uint8

// add adds what was decoded again of the object named key, whose places are at.
func (r *Redecoded) add(key string, at *redecodedPlaces, b redecodedBytes) {
	for i, n := range b {
		if n == 0 {
			continue
		}
		reason := RedecodeReason(i)
		t, found := slices.BinarySearchFunc(r.Reasons, reason, func(t RedecodedTotal, reason RedecodeReason) int {
			return cmp.Compare(t.Reason, reason)
		})
		if !found {
			r.Reasons = slices.Insert(r.Reasons, t, RedecodedTotal{Reason: reason})
		}
		r.Reasons[t].Decoded += n
		if at[i] == 0 {
			r.Reasons[t].Objects++
			at[i] = maxRedecoded + 1
			if len(r.Objects) < maxRedecoded {
				r.Objects = append(r.Objects, RedecodedObject{Key: key, Reason: reason})
				at[i] = uint8(len(r.Objects))
			}
		}
		if at[i] <= maxRedecoded {
			r.Objects[at[i]-1].Decoded += n
		}
	}
}

// clone returns a copy without nil slices.
func (r *Redecoded) clone() Redecoded {
	return Redecoded{append([]RedecodedTotal{}, r.Reasons...), append([]RedecodedObject{}, r.Objects...)}
}

// text returns a line for the reasons, and one for the objects of which most was decoded
// again, each with its line end. It is empty if nothing was.
func (r *Redecoded) text() string {
	if len(r.Reasons) == 0 {
		return ""
	}
	var reasons, objects []string
	for _, t := range r.Reasons {
		what := fmt.Sprint(t.Reason)
		if int(t.Reason) < len(redecodeReasons) {
			what = redecodeReasons[t.Reason].text
		}
		reasons = append(reasons, fmt.Sprintf("%s of %s %s", amount.Data(t.Decoded), number(t.Objects, "object"), what))
	}
	most := slices.SortedStableFunc(slices.Values(r.Objects), func(a, b RedecodedObject) int { return cmp.Compare(b.Decoded, a.Decoded) })
	for _, o := range most[:min(3, len(most))] {
		objects = append(objects, fmt.Sprintf("%s of %s (%v)", amount.Data(o.Decoded), shown(o.Key), o.Reason))
	}
	return fmt.Sprintf("  decoded again: %s\n  decoded again most: %s\n", strings.Join(reasons, "; "), strings.Join(objects, "; "))
}
