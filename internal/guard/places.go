package guard

import "reeve"

// A call may have tens of thousands of changes: a folder that comes back, or
// is copied. What belongs to a place is found by its key, not by going through
// all of them.

// effectsAt are effects by the key of their place.
type effectsAt map[string][]reeve.Effect

func indexed(effects []reeve.Effect) effectsAt {
	at := make(effectsAt, len(effects))
	for _, e := range effects {
		key := e.Place.Key()
		at[key] = append(at[key], e)
	}
	return at
}

// changesAt gives the intents that change a place. It is asked when the
// intents of a view are judged and their effects are known.
func (v *View) changesAt(key string) []*Seen {
	if v.byPlace == nil {
		v.byPlace = make(map[string][]*Seen, len(v.seen))
		for _, s := range v.seen {
			if s.held == nil {
				continue
			}
			for _, e := range s.Effects {
				if !e.Kind.Changes() {
					continue
				}
				key := e.Place.Key()
				if list := v.byPlace[key]; len(list) == 0 || list[len(list)-1] != s {
					v.byPlace[key] = append(list, s)
				}
			}
		}
	}
	return v.byPlace[key]
}

// readAt gives the first held intent that reads a place.
func (v *View) readAt(key string) *Seen {
	if v.byRead == nil {
		v.byRead = map[string]*Seen{}
		for _, s := range v.seen {
			if s.held == nil || s.Intent.Kind != reeve.IntentRead {
				continue
			}
			if key := s.Place().Key(); v.byRead[key] == nil {
				v.byRead[key] = s
			}
		}
	}
	return v.byRead[key]
}

// madeOnPurpose are the folders whose making is a change of its own, by key.
// Others are made on the way to something.
func madeOnPurpose(changes []reeve.Change) map[string]bool {
	own := map[string]bool{}
	for _, ch := range changes {
		if ch.Kind == reeve.Mkdir {
			own[ch.Place.Key()] = true
		}
	}
	return own
}
