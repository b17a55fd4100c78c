package stream

import (
	"fmt"
	"io/fs"
)

// setting is a field of options that is not below zero.
type setting struct {
	field string
	value int64
}

// refuseNegative returns the error of the first number below zero.
func refuseNegative(settings ...setting) error {
	for _, n := range settings {
		if n.value < 0 {
			return fmt.Errorf("%s is %d: %w", n.field, n.value, fs.ErrInvalid)
		}
	}
	return nil
}

func (o *Options) check() error {
	if o.Restore != nil {
		if err := o.Restore.check(); err != nil {
			return err
		}
	}
	if o.Read.Pool != nil && (o.Memory != 0 || o.Workers != 0) {
		return fmt.Errorf("Options.Memory or Workers beside Read.Pool, which has its own: %w", fs.ErrInvalid)
	}
	return refuseNegative(
		setting{"Options.Lanes", int64(o.Lanes)},
		setting{"Options.Workers", int64(o.Workers)},
		setting{"Options.Memory", o.Memory},
		setting{"Options.CheckpointEvery", int64(o.CheckpointEvery)},
	)
}

func (o *ReadOptions) check() error {
	if o.Decode.Grow != nil {
		return fmt.Errorf("ReadOptions.Decode.Grow is set, the Pool answers: %w", fs.ErrInvalid)
	}
	return refuseNegative(
		setting{"ReadOptions.Decode.MaxWindow", o.Decode.MaxWindow},
		setting{"ReadOptions.Decode.MaxDecoded", o.Decode.MaxDecoded},
		setting{"ReadOptions.Decode.MaxRatio", o.Decode.MaxRatio},
		setting{"ReadOptions.MaxRecord", int64(o.MaxRecord)},
		setting{"ReadOptions.RangeSize", o.RangeSize},
		setting{"ReadOptions.InFlight", int64(o.InFlight)},
	)
}
