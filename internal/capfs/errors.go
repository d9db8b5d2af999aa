package capfs

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"

	"reeve"
	"reeve/internal/pathname"
)

// outside says the same whether anything is at the path or not: nothing was
// looked up.
func outside(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.Policy, Code: reeve.OutsideRoots,
		What:    "is outside the folders that were granted",
		Not:     "Nothing was looked up.",
		Instead: "Use a path inside a granted folder; list_roots shows them. The owner can grant another one with `reeve roots add`.",
	}
}

// linkOutside names the link and its own text, and nothing beyond them.
func linkOutside(op, shown, link, text string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.Policy, Code: reeve.LinkOutside,
		What:    "leads through the link " + link + ", whose text is " + pathname.Show(text) + ", out of the folders that were granted",
		Not:     "The link was not followed.",
		Instead: "Use a path that does not pass through this link.",
	}
}

func tooManyLinks(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.TooManyLinks,
		What:    "leads through more than " + strconv.Itoa(maxLinks) + " links; they may lead in a circle",
		Not:     "Nothing was opened.",
		Instead: "Use a path that does not pass through these links.",
		Cause:   syscall.ELOOP,
	}
}

func tooManySteps(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.Input, Code: reeve.Invalid,
		What:    "takes more than " + strconv.Itoa(maxSteps) + " steps to walk",
		Not:     "Nothing was opened.",
		Instead: "Use a shorter path.",
	}
}

func notDirectory(op, shown, what string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.NotDirectory,
		What: what, Not: "Nothing was opened.", Instead: "Check the path with list_directory.",
		Cause: syscall.ENOTDIR,
	}
}

func notFound(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.NotFound,
		What: "does not exist", Not: "Nothing was opened.", Instead: "Check the name with list_directory.",
		Cause: fs.ErrNotExist,
	}
}

func special(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.SpecialFile,
		What: "is a pipe, socket or device", Not: "It was not opened.", Instead: "Only files and folders can be read.",
	}
}

func changed(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.Changed,
		What: "was replaced by something else while it was being opened", Not: "Nothing was read.",
		Instead: "Try again.",
	}
}

func rootSuspended(op, shown string, s Status) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.Policy, Code: reeve.RootSuspended,
		What:    "is in the granted folder " + pathname.EscapePath(s.Path) + ", which is suspended: " + s.Note,
		Not:     "Nothing was looked up.",
		Instead: "The owner can confirm it with `reeve roots confirm " + pathname.EscapePath(s.Path) + "`.",
	}
}

func rootLost(op, shown string, s Status) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.NotFound,
		What:    "is in the granted folder " + pathname.EscapePath(s.Path) + ", and " + s.Note,
		Not:     "Nothing was opened.",
		Instead: "It can be used again as soon as the folder is back.",
		Cause:   fs.ErrNotExist,
	}
}

func mountDead(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.MountDead,
		What:    "is on a file system that did not answer lately",
		Not:     "Nothing was done, and it was not asked again.",
		Instead: "Try again later: it is used again as soon as it answers. Other folders work as before.",
	}
}

func tooManyHanging() error {
	return &reeve.Error{
		Op: "call", Kind: reeve.IO, Code: reeve.MountDead,
		What:    "too many earlier calls still wait for file systems that do not answer",
		Not:     "Nothing was done.",
		Instead: "Try again later; the owner can see with `reeve doctor` which file system hangs.",
	}
}

// ended tells why a call's context ended.
func ended(cause error, limit time.Duration) error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &reeve.Error{
			Op: "call", Kind: reeve.IO, Code: reeve.Timeout,
			What:    "the file system did not finish within " + limit.Round(time.Millisecond).String(),
			Not:     "The call was given up; nothing was changed by it.",
			Instead: "Try again, or ask for less at once.",
			Cause:   context.DeadlineExceeded,
		}
	}
	return &reeve.Error{
		Op: "call", Kind: reeve.IO, Code: reeve.Cancelled,
		What:    "the call was cancelled",
		Not:     "It was given up; nothing was changed by it.",
		Instead: "Call again if the answer is still wanted.",
		Cause:   context.Canceled,
	}
}

// failure turns the system's error into a refusal. It keeps the system's own
// word and drops every path but the caller's.
func failure(op, shown string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := reeve.AsError(err); ok {
		if e.Path == "" && shown != "" && e.Op != "call" {
			c := *e
			c.Op, c.Path = op, shown
			return &c
		}
		return err
	}
	e := &reeve.Error{Op: op, Path: shown, Kind: reeve.IO, Code: reeve.Failed, Not: "Nothing was opened.", Cause: bare(err)}
	word := e.Cause.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notFound(op, shown)
	case errors.Is(err, syscall.ENOTDIR):
		return notDirectory(op, shown, "has a name on its way that is not a folder")
	case errors.Is(err, fs.ErrPermission):
		e.Code = reeve.Permission
		e.What = "may not be used by Reeve's user; the system says: " + word
		e.Instead = "The owner can change its permissions."
	case errors.Is(err, syscall.ELOOP):
		return tooManyLinks(op, shown)
	case errors.Is(err, syscall.ENAMETOOLONG):
		e.Kind, e.Code = reeve.Input, reeve.Invalid
		e.What = "has a name that is too long for its file system"
		e.Instead = "Use a shorter name."
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		e.What = "could not be opened: too many files are open (" + word + ")"
		e.Instead = "Try again in a moment; the owner can raise the limit (ulimit -n)."
	case errors.Is(err, syscall.ESTALE):
		e.Code = reeve.Changed
		e.What = "was replaced on its server (" + word + ")"
		e.Instead = "Try again."
	case errors.Is(err, fs.ErrClosed):
		e.What = "was closed already"
		e.Instead = "Resolve it again."
	default:
		e.What = "could not be read; the system says: " + word
		e.Instead = "Try again; if it stays, the owner should look at this disk."
	}
	return e
}

// bare strips the paths that errors of package os carry.
func bare(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return bare(pe.Err)
	}
	if s := err.Error(); strings.ContainsAny(s, `/\`) {
		return errors.New("unknown error")
	}
	return err
}

func isDirectory(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.IsDirectory,
		What: "is a folder", Not: "It was not read.", Instead: "Use list_directory, or name a file in it.",
	}
}

func unfollowed(op, shown string) error {
	return &reeve.Error{
		Op: op, Path: shown, Kind: reeve.IO, Code: reeve.SpecialFile,
		What: "is a link that was not followed", Not: "It was not opened.", Instead: "Name the file that it leads to.",
	}
}
