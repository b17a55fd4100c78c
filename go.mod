module github.com/thaw-go/thaw

go 1.26
