// Package drivertest is the conformance suite of package driver. An adaptor runs
// it in three lines:
//
//	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
//		return drivertest.Harness{Driver: newStore(t)}
//	})
//
// Each case begins with an empty store and states its rule, which a failure
// prints. What a store cannot do by its nature is named in [Harness.Lacks], with the
// reason; the cases that need it are then skipped with that reason. Single keys that
// it does not take are named in [Harness.Refuses]. What a driver has no call for, the
// harness does where it can: [Harness.PutEncoded], [Harness.Deny].
package drivertest
