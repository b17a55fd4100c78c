// Package httpstore has what the stores of cloud services have in common: the transport
// of their requests, the classes of failures below their protocols, ranges that are
// refused, bodies that are checked against their length, and listings against their
// order.
package httpstore
