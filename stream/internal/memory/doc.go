// Package memory shares a fixed amount of memory among the lanes of readers and jobs,
// so that all of them finish.
//
//	total = floors + read-ahead + retained + kept + what accounts hold + free
//
// Three ways lead to memory. A [Lane]'s floor is granted when the lane enters and is
// enough for ordinary objects. Read-ahead and retained batches only try, and leave a
// reserve untouched. A window or a spill buffer is a [Reservation] of the lane's
// [Account]: it waits until it can be granted.
//
// # Rules
//
// Every grant keeps two rules.
//
// Floors and retained batches leave room for the largest limit of an account: they
// stay for as long as a job or a sink likes.
//
// There is an order in which all accounts that hold memory can finish their objects,
// each with what is free and what those before it released: the banker's rule.
// Read-ahead and decoders kept for reuse count as free, since they can be had back.
// So the lanes that hold memory never all wait for each other, and nobody who waits
// waits for something that others keep.
//
// # Guarantees
//
// What an object may still need is guaranteed when its account is opened: a spill,
// and what windows of later headers may take. A later need comes out of that. Few
// objects need what they are guaranteed. One that could be opened but for that is
// opened optimistically: nothing is guaranteed to it, and the rule counts what it
// holds as free one day, since it never waits while it holds anything. Should it need
// more, it gets a guarantee like the others, or what is free, or it releases what it
// holds, waits, and reads the object again up to where it was.
package memory
