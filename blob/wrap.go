package blob

import "github.com/thaw-go/thaw/blob/driver"

// Wrap puts what f makes of the Store's driver in the driver's place: a simulated
// link, a counter, faults. Sources of the Store read through it, those made before
// too. It is called before the Store is used.
func (s *Store) Wrap(f func(driver.Driver) driver.Driver) {
	s.drv = f(s.drv)
	s.traits = driver.Traits{}
	if t, ok := s.drv.(driver.Describer); ok {
		s.traits = t.Traits()
	}
	s.SetRetry(&s.asked)
}
