package memory

import "context"

// Account is what one lane holds beside its floor, for the object that it reads.
// Its methods are called by that lane's goroutine.
type Account struct {
	b    *Budget
	lane *Lane // nil in tests
	held int64

	guaranteed int64 // the most that the object may still need beside held
	optimistic bool  // nothing is guaranteed, and nothing waited for
}

// Reservation is what an object asks for.
type Reservation struct {
	// Bytes is granted at once, or waited for.
	Bytes int64

	// Later is what the object may need beside that later on. It is guaranteed.
	Later int64

	// Headroom is what the object may need beyond Later. As much of it is
	// guaranteed as the limit of the account leaves.
	Headroom int64

	// Optimistic accepts Bytes without any guarantee, where none can be had and
	// Later is free at present.
	Optimistic bool
}

// TryOpen reserves memory for another object if that is safe now.
func (a *Account) TryOpen(r Reservation) bool {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	return a.try(r)
}

// Open is TryOpen, but waits until that is safe or ctx ends. It returns a
// *LimitError where no wait can help, and ErrBusy where none is allowed.
func (a *Account) Open(ctx context.Context, r Reservation) error {
	a.b.mu.Lock()
	return a.wait(ctx, r)
}

// TryExtend reserves n bytes more for the same object if that is safe now. They
// come out of what is guaranteed to it. Where that is less, the object may need
// later more after them. An optimistic account stays optimistic where it gets no
// guarantee and n bytes are free.
func (a *Account) TryExtend(n, later int64) bool {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	r := a.extension(n, later)
	r.Optimistic = a.optimistic
	return a.try(r)
}

// Extend is TryExtend, but waits as Open does. The account must not be optimistic.
func (a *Account) Extend(ctx context.Context, n, later int64) error {
	a.b.mu.Lock()
	return a.wait(ctx, a.extension(n, later))
}

// Grow is Extend for a decoder, which cannot say what it may need. More than is
// guaranteed cannot be waited for while the account holds something: it is granted
// if it is free, and ErrSuspend returned otherwise. More than the limit is a
// *LimitError.
func (a *Account) Grow(ctx context.Context, n int64) error {
	b := a.b
	b.mu.Lock()
	if n <= a.guaranteed {
		return a.wait(ctx, a.extension(n, 0))
	}
	defer b.mu.Unlock()
	if limit := a.limit(); a.held+n > limit {
		return &LimitError{Needed: a.held + n, Allowed: limit}
	}
	if b.serveOrEvict(a.waiter(Reservation{Bytes: n}, 0)) {
		return nil
	}
	return ErrSuspend
}

// Optimistic reports whether the account holds memory without a guarantee. Such an
// account does not wait: where TryExtend returns false, its lane releases all that the
// account holds, opens it again, and reads the object again.
func (a *Account) Optimistic() bool { return a.optimistic }

// Held returns what the account holds.
func (a *Account) Held() int64 { return a.held }

// Guaranteed returns how much more the object is sure to get.
func (a *Account) Guaranteed() int64 { return a.guaranteed }

// Release returns n bytes. The object may need them again.
func (a *Account) Release(n int64) {
	a.b.mu.Lock()
	a.drop(n)
	a.guaranteed += n
	a.b.used -= n
	a.b.serveQueue()
	a.b.mu.Unlock()
}

// Keep takes n bytes out of the account without returning them. They now belong to
// something kept for reuse, until ReleaseKept.
func (a *Account) Keep(n int64) {
	a.b.mu.Lock()
	a.drop(n)
	a.b.kept += n
	a.b.serveQueue()
	a.b.mu.Unlock()
}

// Close returns all that the account holds.
func (a *Account) Close() {
	a.b.mu.Lock()
	a.endOptimism()
	a.b.used -= a.held
	a.held = 0
	delete(a.b.accounts, a)
	a.b.serveQueue()
	a.b.mu.Unlock()
}

// account opens an account of a lane, nil in tests.
func (b *Budget) account(l *Lane) *Account {
	a := &Account{b: b, lane: l}
	b.mu.Lock()
	b.accounts[a] = struct{}{}
	b.mu.Unlock()
	return a
}

// extension is the reservation of n bytes more. b.mu is held, as in all that follow.
func (a *Account) extension(n, later int64) Reservation {
	if n <= a.guaranteed {
		later = a.guaranteed - n
	}
	return Reservation{Bytes: n, Later: later}
}

// guarantee returns what can be guaranteed after a grant of r: Later, and Headroom
// as far as the limit leaves it. ok reports whether Later can. The reserve then
// covers it, so that tries and floors leave it to a.
func (a *Account) guarantee(r Reservation) (guaranteed int64, ok bool) {
	left := a.limit() - a.held - r.Bytes - r.Later
	if left < 0 {
		return r.Later, false
	}
	guaranteed = r.Later + min(r.Headroom, left)
	a.b.reserve = max(a.b.reserve, a.held+r.Bytes+guaranteed)
	return guaranteed, true
}

// wait grants r once that is safe, and unlocks b.mu.
func (a *Account) wait(ctx context.Context, r Reservation) error {
	b := a.b
	guaranteed, ok := a.guarantee(r)
	switch {
	case r.Bytes == 0 && a.held == 0:
		a.guaranteed = guaranteed // nothing is held that others could wait for
		b.mu.Unlock()
		return nil
	case !ok:
		err := &LimitError{Needed: a.held + r.Bytes + r.Later, Allowed: a.limit()}
		b.mu.Unlock()
		return err
	}
	return b.wait(ctx, a.waiter(r, guaranteed))
}

// try grants r if that is safe, and never more than a wait could get.
func (a *Account) try(r Reservation) bool {
	guaranteed, ok := a.guarantee(r)
	return ok && a.b.serve(a.waiter(r, guaranteed))
}

func (a *Account) waiter(r Reservation, guaranteed int64) *waiter {
	spare := r.Later
	if a.held > 0 {
		spare = 0 // an object that has begun takes what is free
	}
	return &waiter{
		account: a, lane: a.lane, bytes: r.Bytes, guaranteed: guaranteed, optimistic: r.Optimistic, spare: spare,
		noWait: a.lane != nil && a.lane.NoWait && !a.lane.Independent,
	}
}

// limit is what an account can be sure to get one day, whatever others hold now and
// however many they are.
func (a *Account) limit() int64 {
	if a.lane != nil {
		return a.lane.Limit
	}
	return max(a.b.reserve, a.b.total/2-a.b.floor)
}

// drop takes n bytes out of what a holds.
func (a *Account) drop(n int64) {
	a.held -= n
	if a.optimistic {
		a.b.optimistic -= n
		a.optimistic = a.held > 0
	}
}

// endOptimism makes a one that the rule counts.
func (a *Account) endOptimism() {
	if a.optimistic {
		a.optimistic = false
		a.b.optimistic -= a.held
	}
}
