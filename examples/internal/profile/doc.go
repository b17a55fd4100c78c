// Package profile is the verb profile of the example programs: it reads
// everything that an argument names, drops the records and reports where the time
// went.
package profile
