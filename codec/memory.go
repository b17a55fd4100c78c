package codec

// admit refuses a window over the limit, and asks for the memory that a reader
// holds once it has one, before anything is allocated. A format calls it for each
// header that states a window.
func (o *Options) admit(window, memory int64) error {
	if allowed := o.maxWindow(); window > allowed {
		return &LimitError{What: "window", Needed: window, Allowed: allowed}
	}
	o.note(window, 0)
	return o.hold(memory)
}

// note passes on what MaxWindow must allow, and what a reader may take.
func (o *Options) note(window, memory int64) {
	if o != nil && o.saw != nil {
		o.saw(window, memory)
	}
}

// hold asks for the memory that a reader is about to hold in all. o may be nil.
func (o *Options) hold(memory int64) error {
	if o == nil || o.Grow == nil {
		return nil
	}
	return o.Grow(memory)
}

// grow is the Options.Grow of d's format: it passes on what is more than d was
// granted before.
func (d *decoder) grow(memory int64) error {
	if memory <= d.memory {
		return nil
	}
	if d.refused = d.ask(memory); d.refused == nil {
		d.memory = memory
	}
	return d.refused
}

// layerInput is the buffer between two layers.
const layerInput = 128 << 10

// layers adds up what the decoders of a chain hold.
type layers struct {
	ask  func(memory int64) error
	held []int64
	sum  int64
}

// options are opts for the next layer, whose recipe is c. What it takes whatever
// its header says counts from now on.
func (l *layers) options(opts *Options, c Codec) *Options {
	i := len(l.held)
	fixed := int64(0)
	if i > 0 {
		fixed = layerInput
	}
	needs := int64(0)
	if c.Requires != nil {
		if n, err := c.Requires(nil); err == nil {
			needs = n.Memory
		}
	}
	l.held = append(l.held, fixed+needs)
	l.sum += fixed + needs
	own := *opts
	own.Grow = func(memory int64) error {
		more := fixed + memory - l.held[i]
		if more <= 0 {
			return nil
		}
		if err := l.ask(l.sum + more); err != nil {
			return err
		}
		l.held[i] += more
		l.sum += more
		return nil
	}
	return &own
}
