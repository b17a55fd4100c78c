//go:build !amd64 || purego || noasm

package inflate

const assembled = false

func (d *Decoder) fastAssembled([]byte, int, int) (int, status) { panic("inflate: no assembly") }

func pairAVX2(*litTable) { panic("inflate: no assembly") }
