package reeve

// Meta is what a thing has beside its bytes: for what is kept, and for what is
// brought back.
type Meta struct {
	Mode  uint32 `json:"mode"`            // Unix permission bits, setuid and its kin included
	MTime int64  `json:"mtime,omitempty"` // Unix nanoseconds, 0 if unknown
	// Owner is nil where the system has no such numbers, or they are not known.
	Owner  *Ownership `json:"owner,omitempty"`
	XAttrs []XAttr    `json:"xattrs,omitempty"`
}

// Ownership is the user and group of a thing, as Unix numbers them.
type Ownership struct {
	UID uint32 `json:"uid"`
	GID uint32 `json:"gid"`
}

// XAttr is one extended attribute, with the name as the system gives it
// ("user.comment", "system.posix_acl_access").
type XAttr struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}
