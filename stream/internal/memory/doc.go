// Package memory shares a fixed amount of memory among the lanes of readers and jobs,
// so that all of them finish.
//
//	|<-------------------------------- total -------------------------------->|
//	| floors | retained | read-ahead | kept decoders | what accounts hold | free |
//	|<- stay as long as ->|<--- can be had back --->|<-- come back as --->|
//	   lanes and sinks like                             objects end
//
// Three ways lead to memory. The floor of a [Lane] is granted when the lane enters and
// is enough for ordinary objects. Read-ahead and retained batches try, and leave a
// reserve free. A window or the buffer of a large record is a [Reservation] of the
// lane's [Account]: it waits until it can be granted.
//
// # Rules
//
// Every grant keeps two rules.
//
// Floors and retained batches leave room for the largest limit of an account. So one
// object at a time can always get all that its limit allows.
//
// There is an order in which all accounts that hold memory can finish their objects,
// each with what is free and what those before it released: the banker's rule. What
// can be had back counts as free. So lanes that hold memory never all wait for each
// other.
//
// # Guarantees
//
// What an object may still need is guaranteed when its account is opened: the buffers
// of a record, and what later headers may ask for. Most objects never need it. One that
// could be opened but for its guarantee is opened optimistically. An optimistic account
// never waits while it holds memory, so the rule counts that memory as free one day. If
// the object needs more, its account gets a guarantee after all, or takes what is free,
// or releases everything, waits, and the object is decoded again up to where it was.
//
// # Example
//
// Of 22 MiB, three lanes have their floors of 1 MiB each. No account may hold more than
// 10 MiB. The columns are what an account holds, and what is guaranteed beside that.
//
//	                                          A        B        C      free
//	A opens with 4, and 6 later             4 + 6                       15
//	B opens with 6, and 4 later             4 + 6    6 + 4               9
//	C opens with 6, and 4 later             4 + 6    6 + 4    6 + 0      3
//	B takes 2                               4 + 6    8 + 2    6 + 0      1
//	B needs 2, and waits                    4 + 6    8 + 2    6 + 0      1
//	C needs 1, and releases 6               4 + 6   10 + 0               5
//	C waits for 7, and 3 later              4 + 6   10 + 0               5
//	B ends                                  4 + 6             7 + 3      8
//
// C is optimistic at first. With a guarantee of 4 the three could need 6, 4 and 4, of
// which 3 would be free: they could all wait for each other. Without it A and B can
// finish, as C returns 6 when its object ends, or before it waits. It does so when it
// needs more: B waits for what is guaranteed to it and goes first. At the end A and C
// have guarantees of 6 and 3, and 8 is free: either can finish first.
package memory
