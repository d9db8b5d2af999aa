package pathname

// Reason says which rule a path broke.
type Reason string

const (
	ReasonEmpty     Reason = "empty"
	ReasonNUL       Reason = "nul"
	ReasonLong      Reason = "too_long"
	ReasonNotUTF8   Reason = "not_utf8"
	ReasonTilde     Reason = "tilde"      // ~name, or ~ where no home is known
	ReasonRelative  Reason = "relative"   // relative where that is not allowed
	ReasonEscape    Reason = "bad_escape" // a $'…' component that names nothing
	ReasonDots      Reason = "dots"       // . or .. where they are refused
	ReasonVolume    Reason = "volume"     // no drive, or a drive without a root
	ReasonDevice    Reason = "device"     // a device, or the device namespace
	ReasonComponent Reason = "component"  // a component its system would read as another name
)

// Error is a path that was refused by its text alone.
type Error struct {
	Reason Reason
	// What happened, without the path in front: "is not valid UTF-8".
	What string
	// Instead says what to write.
	Instead string
}

// Error is What and Instead as sentences.
func (e *Error) Error() string {
	if e.Instead == "" {
		return "the path " + e.What + "."
	}
	return "the path " + e.What + ". " + e.Instead
}
