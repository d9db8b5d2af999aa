package capfs

// writers is what a lease tells about who has a file open.
type writers int

const (
	unknown writers = iota
	nobody
	somebody
)
