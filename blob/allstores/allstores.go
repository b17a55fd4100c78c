// Package allstores makes every scheme of this module known to package blob, for
// programs that take URLs of any store:
//
//	import _ "github.com/thaw-go/thaw/blob/allstores"
//
// They are file, mem and s3. It links the SDKs of the cloud services: a program
// that needs one store imports that one's package instead.
package allstores

import (
	_ "github.com/thaw-go/thaw/blob/filestore"
	_ "github.com/thaw-go/thaw/blob/memstore"
	_ "github.com/thaw-go/thaw/blob/s3store"
)
