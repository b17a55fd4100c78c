package archive

import (
	"cmp"
	"strings"
	"time"
)

// documentedWait returns how long a restore takes at most, as services document it: S3's
// "Archive retrieval options" and Azure's "Blob rehydration from the archive tier". It is
// 0 for a class or tier without such a figure.
func documentedWait(class, tier string) time.Duration {
	tier = strings.ToLower(tier)
	if priority, _, ok := strings.Cut(tier, "/"); ok { // "High/Cool": where to comes after
		tier = priority
	}
	return documented[strings.ToUpper(class)][cmp.Or(tier, "standard")]
}

// documented are waits by class and tier.
var documented = map[string]map[string]time.Duration{
	"GLACIER":             {"expedited": 5 * time.Minute, "standard": 5 * time.Hour, "bulk": 12 * time.Hour},
	"DEEP_ARCHIVE":        {"standard": 12 * time.Hour, "bulk": 48 * time.Hour},
	"INTELLIGENT_TIERING": {"standard": 12 * time.Hour, "bulk": 48 * time.Hour}, // its deep archive tier
	"ARCHIVE":             {"standard": 15 * time.Hour, "high": time.Hour},
}
