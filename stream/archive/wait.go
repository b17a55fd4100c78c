package archive

import (
	"strings"
	"time"
)

// documentedWait returns how long a restore takes at most, as services document it: S3's
// "Archive retrieval options" and Azure's "Blob rehydration from the archive
// tier".
func documentedWait(class, tier string) time.Duration {
	tier = strings.ToLower(tier)
	switch strings.ToUpper(class) {
	case "GLACIER":
		switch tier {
		case "expedited":
			return 5 * time.Minute
		case "bulk":
			return 12 * time.Hour
		}
		return 5 * time.Hour
	case "DEEP_ARCHIVE":
		if tier == "bulk" {
			return 48 * time.Hour
		}
		return 12 * time.Hour
	case "INTELLIGENT_TIERING":
		return 12 * time.Hour
	case "ARCHIVE":
		if tier == "high" {
			return time.Hour
		}
		return 15 * time.Hour
	}
	return 0
}
