package sinks_test

import (
	"testing"

	"github.com/thaw-go/thaw/internal/testing/leak"
)

func TestMain(m *testing.M) { leak.Main(m, "github.com/thaw-go/thaw") }
