package stream

// AfterReport says what became of the actions of [Options.After] in a run.
type AfterReport struct {
	Done    int64 `json:"done"`     // objects acted upon, those included that were gone
	Kept    int64 `json:"kept"`     // objects left alone: another version is there
	LeftOut int64 `json:"left_out"` // objects of Counts.Done left alone: see [After]
	Failed  int64 `json:"failed"`   // actions that failed; their objects are pending
	Pending int64 `json:"pending"`  // objects that the next run acts upon

	// Error is the text of the first failure. It is empty if none failed.
	Error string `json:"error,omitempty"`
}
