// Package allstores registers every scheme of this module, for programs that take URLs of
// any store:
//
//	import _ "github.com/thaw-go/thaw/blob/allstores"
//
// They are file, mem, s3, gs and azblob. It links the SDKs of the cloud services: a program
// that needs one store imports that one's package instead.
package allstores

import (
	_ "github.com/thaw-go/thaw/blob/azurestore"
	_ "github.com/thaw-go/thaw/blob/filestore"
	_ "github.com/thaw-go/thaw/blob/gcsstore"
	_ "github.com/thaw-go/thaw/blob/memstore"
	_ "github.com/thaw-go/thaw/blob/s3store"
)
