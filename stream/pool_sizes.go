package stream

const (
	// slabData is how many decoded bytes a slab takes: few enough that decode,
	// frame and parse meet them in cache.
	slabData = 128 << 10

	// slabHead is the room in front of them for the record that the slab
	// before left unfinished.
	slabHead = 64 << 10

	// slabSize is the whole.
	slabSize = slabHead + slabData

	// mostKeptEnds is how many ends a lane's slice may have room for to be kept
	// for the next object.
	mostKeptEnds = 16 << 10

	// inputSize is the buffer between a store's reader and a decoder.
	inputSize = 128 << 10

	// readAheadFloor is what a remote reader may always hold.
	readAheadFloor = 256 << 10

	// decoderFloor is the memory of the decoders that are not worth a reservation.
	decoderFloor = 256 << 10

	// laneFloor is what each lane has for itself.
	laneFloor = 2*slabSize + inputSize + readAheadFloor + decoderFloor
)

// spillMax is the most that a record of up to maxRecord bytes may need beside a
// slab: its buffer, and the one it outgrew or that a sink retains.
func spillMax(maxRecord int) int64 { return 2 * (int64(maxRecord) + slabData) }

// decoderExtra is what most decoders take beside a window: 1 MiB, and a 64th of the
// window that zstd holds while its buffer grows.
func decoderExtra(window int64) int64 { return 1<<20 + window/64 }
