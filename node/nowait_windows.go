package node

// openNoWait: no path of a file leads to something that waits.
const openNoWait = 0
