package capfs

import (
	"errors"
	iofs "io/fs"
	"syscall"

	"reeve"
)

const unchanged = "Nothing was changed."

// refuse makes a committer's refusal about a place.
func refuse(p reeve.Place, code reeve.Code, what, instead string) *reeve.Error {
	kind := reeve.IO
	if code == reeve.Invalid {
		kind = reeve.Input
	}
	return &reeve.Error{Op: "change", Path: p.Display(), Kind: kind, Code: code, What: what, Not: unchanged, Instead: instead}
}

const lookAgain = "Look at it again, and make the change again if it is still right."

func changedSince(p reeve.Place, what string) *reeve.Error {
	return refuse(p, reeve.Changed, what, lookAgain)
}

func existsAlready(p reeve.Place) *reeve.Error {
	return refuse(p, reeve.Exists, "exists already", "Use another name, or look at what is there first.")
}

// unable turns the system's word about a change into a refusal. Doing is what
// was tried: "be replaced", "be removed".
func unable(p reeve.Place, doing string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := reeve.AsError(err); ok {
		return e
	}
	cause := bare(err)
	r := refuse(p, reeve.Failed, "could not "+doing+"; the system says: "+cause.Error(),
		"Try again; if it stays, the owner should look at this disk.")
	r.Cause = cause
	switch {
	case noSpace(err):
		r.Code = reeve.NoSpace
		r.What = "could not " + doing + ": there is no room left on its disk, or on that of Reeve's state (" + cause.Error() + ")"
		r.Instead = "The owner has to make room first."
	case errors.Is(err, syscall.EROFS):
		r.Code = reeve.Permission
		r.What = "could not " + doing + ": its disk can only be read (" + cause.Error() + ")"
		r.Instead = "Write to another folder."
	case errors.Is(err, syscall.ENAMETOOLONG):
		r.Kind, r.Code = reeve.Input, reeve.Invalid
		r.What = "has a name that is too long for its file system"
		r.Instead = "Use a shorter name."
	case errors.Is(err, syscall.EXDEV):
		r.What = "could not " + doing + " across two file systems"
		r.Instead = "Copy it instead."
	case errors.Is(err, syscall.EBUSY):
		r.What = "could not " + doing + ": the system uses it (" + cause.Error() + ")"
		r.Instead = "The owner can see what uses it; a mounted file or folder stays where it is."
	case errors.Is(err, iofs.ErrPermission):
		r.Code = reeve.Permission
		r.What = "could not " + doing + ": Reeve's user may not; the system says: " + cause.Error()
		r.Instead = "The owner can change its permissions, or those of its folder."
	case isNotEmpty(err):
		r.Code = reeve.NotEmpty
		r.What = "is a folder that is not empty"
		r.Instead = "List it first."
	case errors.Is(err, iofs.ErrExist):
		return existsAlready(p)
	case errors.Is(err, iofs.ErrNotExist):
		return changedSince(p, "is not there any more")
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ESTALE):
		return changedSince(p, "was replaced by something else")
	}
	return r
}
