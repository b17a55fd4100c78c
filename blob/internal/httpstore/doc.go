// Package httpstore is what the stores of cloud services have in common: the
// transport that their requests go over, the classes of failures below their own
// protocols, bodies that are held to their length, and listings held to their
// order.
package httpstore
