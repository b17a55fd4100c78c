// Package backward lists in ascending order, in constant memory, the parts of an
// object that can only be found from its end: those that state their size after
// their data.
package backward

// kept is how many parts, or ends of stretches of them, are remembered at once.
const kept = 1024

// Ascending calls yield for each part of [lo, hi), the first one first. before
// finds the part that ends at end, and its start, below end. yield stops the list
// by returning false.
//
// All parts are found before the first is yielded, so that an error of before comes
// alone. Of more than 1024 parts the end of every 1024th is remembered, and those
// between are found again, and so on: a million parts are found twice, a billion
// three times.
func Ascending[T any](lo, hi int64, before func(end int64) (part T, start int64, err error), yield func(T) bool) error {
	l := list[T]{before: before, yield: yield}
	_, err := l.stretch(lo, hi)
	return err
}

type list[T any] struct {
	before func(end int64) (T, int64, error)
	yield  func(T) bool
	parts  []T // of one stretch, descending
}

// stretch yields the parts of [lo, hi).
func (l *list[T]) stretch(lo, hi int64) (more bool, err error) {
	l.parts = l.parts[:0]
	ends, stride := []int64{hi}, kept // descending, stride parts apart
	for end, n := hi, 0; end > lo; n++ {
		if n > 0 && n%stride == 0 {
			if len(ends) == kept {
				ends, stride = ends[:1], stride*kept
			}
			if n%stride == 0 {
				ends = append(ends, end)
			}
		}
		part, start, err := l.before(end)
		if err != nil {
			return false, err
		}
		if n < kept {
			l.parts = append(l.parts, part)
		}
		if n == kept {
			l.parts = l.parts[:0]
		}
		end = start
	}
	if len(ends) == 1 && stride == kept {
		for i := len(l.parts) - 1; i >= 0; i-- {
			if !l.yield(l.parts[i]) {
				return false, nil
			}
		}
		return true, nil
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if more, err := l.stretch(lo, ends[i]); err != nil || !more {
			return false, err
		}
		lo = ends[i]
	}
	return true, nil
}
