// Package console is the owner's page in a browser: what waits for an answer,
// and answering it. It listens on this computer alone.
//
// Call New, Start, and Link for the address that lets one browser in, once and
// within a minute; Close ends it. Page is the same as a channel of last
// resort: a page that the process which asks opens by itself.
//
// Everybody who gets in has the link, of which the server knows a code that is
// good once; after that a cookie that no other site can use or read, and a
// token in the page for every answer. The Host and the Origin of each request
// are checked, so that no other site can reach it through the owner's browser
// under another name.
//
// What it does not protect from: a program of the same user can read the
// browser's memory, answer in the table itself, or see the link while it is
// handed to the browser. On Linux a connection from another user's program is
// closed unseen; elsewhere such a program, if it sees the link on a command
// line within its minute and before the browser has used it, could get in (the
// owner's own browser is then turned away, which shows). Browsers send a
// cookie to every port of a host: other programs of this user that serve pages
// to the same browser could learn it.
package console
