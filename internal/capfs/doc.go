// Package capfs is the one door to user files: granted folders held as open
// handles, a resolver that walks from them without ever letting the system
// follow a link, and files and folders opened from what is held.
//
// Call New, then SetGrants; inside Call, use Resolve, and File or Folder on
// the Held that it gives. Work on files always runs inside Call: it is what
// gives a deadline to file systems that do not answer.
//
// NewCommitter changes files: Stage each change, Swap them together, then
// Receipt.Sync, and hand what was displaced to history. Run Recover once at
// the start, and now and then for what other programs wrote later.
//
// What it does not protect from: it judges nothing. A place carries the root
// that decides and the marks found on the way, and policy must look at both.
// Names are not compared with any list here, only identities. Other programs
// of the same user may change a file while it is read (Fresh tells), and what
// a folder is renamed to after it was held is not seen. On systems without
// held path descriptors a FIFO that takes a folder's or file's name between
// two looks can still be opened; identity is compared right after. Where names
// cannot be exchanged, another program's rename onto the same name between two
// neighbouring calls is lost; a file written in place can be seen half written;
// a program that keeps a replaced file open goes on writing to the old one,
// and what it writes is handed over when it is done.
package capfs
