// Package drivertest is the conformance suite of package driver. An adaptor runs it in
// three lines:
//
//	drivertest.Run(t, func(t *testing.T) drivertest.Harness {
//		return drivertest.Harness{Driver: newStore(t)}
//	})
//
// Each case begins with an empty store and has a rule, which a failure prints. Name what
// the store cannot do by its nature in [Harness].Lacks, with the reason: the cases that
// need it are skipped with that reason. Name single keys that it does not accept in
// Refuses. What a driver has no call for, the harness does where it can: PutEncoded and
// Deny.
package drivertest
