package ops

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reeve"
)

func TestSearchesOverTheBoundWaitAndThenAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		var ends []func()
		for range walksAtOnce {
			done, err := turns.take(t.Context(), findVerb)
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, done)
		}
		var wait sync.WaitGroup
		served := 0
		var mu sync.Mutex
		for range walksWaiting {
			wait.Go(func() {
				done, err := turns.take(t.Context(), findVerb)
				if err != nil {
					t.Errorf("one that waited was refused: %v", err)
					return
				}
				mu.Lock()
				served++
				mu.Unlock()
				done()
			})
		}
		synctest.Wait()
		if _, err := turns.take(t.Context(), findVerb); !errors.Is(err, reeve.Busy) {
			t.Errorf("one too many got %v, want %v", err, reeve.Busy)
		}
		ends[0]()
		wait.Wait()
		if served != walksWaiting {
			t.Errorf("%d of %d that waited had their turn", served, walksWaiting)
		}
		for _, done := range ends[1:] {
			done()
		}
		if n := turns.waiting.Load(); n != 0 || len(turns.running) != 0 {
			t.Errorf("%d wait and %d run after all have ended", n, len(turns.running))
		}
	})
}

func TestASearchThatWaitsCanBeCancelledAndIsNotKeptForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		for range walksAtOnce {
			if _, err := turns.take(t.Context(), findVerb); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { time.Sleep(time.Second); cancel() }()
		if _, err := turns.take(ctx, findVerb); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled one got %v", err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if _, err := turns.take(ctx, findVerb); !errors.Is(err, reeve.Busy) {
			t.Errorf("one that waited for half of its time got %v, want %v", err, reeve.Busy)
		}
	})
}
