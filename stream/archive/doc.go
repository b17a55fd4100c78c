// Package archive looks at the archived objects of a source before a job reads them:
// [NewPlan] says what is readable, what must be restored, and how long that takes, and
// [Request] requests the restores. Neither waits for any: the service holds that state.
//
//	src := store.List(nil)
//	plan, err := archive.NewPlan(ctx, src, nil)
//	fmt.Print(plan)
//	plan, err = archive.Request(ctx, src, &archive.Options{Tier: "Bulk"})
//
// A job reads what is restored by then, and waits for the rest if its Options have a
// Restore.
//
// # Cost
//
// A listing that states the archive states is enough. Objects whose state it does not
// state are looked up one by one, 8 at once: those of key lists, and of S3's
// INTELLIGENT_TIERING.
//
// Services that speak the protocol of S3 may list no restores at all, as if none was ever
// requested. So, until a listing states one, 100 archived objects are looked up, and one
// in a thousand after them. If that shows the listing to be wrong, every further archived
// object is.
//
// A plan states no price.
//
// # Errors
//
// A source that fails, or the end of the context, is a *stream.Error. An object that
// cannot be looked up or requested is counted in the Plan, and the others go on.
//
// # Concurrency
//
// All functions may be called concurrently. A Plan is a value of its caller's.
package archive
