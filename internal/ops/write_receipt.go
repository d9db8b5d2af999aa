package ops

import (
	"context"

	"reeve"
	"reeve/internal/guard"
)

// What a verb is told of its changes once they are made, by the gate.
type (
	receipt = guard.Receipt
	done    = guard.Done
)

// snapshotOf is an open file as the readers here take it. The file stays the
// caller's to close.
func snapshotOf(f *guard.File) snapshot {
	return snapshot{Source: f, stamp: f.Info().Stamp, version: f.Version, close: f.Close,
		fresh: func() (reeve.Stamp, error) {
			info, err := f.Fresh()
			return info.Stamp, err
		}}
}

// readStillAll reads all of a file that stands still; see readWhole.
func readStillAll(ctx context.Context, f *guard.File) ([]byte, error) {
	return readWhole(ctx, snapshotOf(f))
}

// hashStill hashes all of a file that stands still; see hashWhole.
func hashStill(ctx context.Context, f *guard.File) ([32]byte, error) {
	return hashWhole(ctx, snapshotOf(f))
}
