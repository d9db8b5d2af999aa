package asking

import "io/fs"

// unsafeKey: on Windows the state folder's own access list keeps others out.
func unsafeKey(st fs.FileInfo) string {
	if !st.Mode().IsRegular() {
		return "is not a plain file"
	}
	return ""
}
