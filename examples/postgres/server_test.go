package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server starts a PostgreSQL on a socket and returns how to connect to it. It
// skips the test where none is installed, except in CI.
func server(t *testing.T) (dsn string) {
	t.Helper()
	bin := filepath.Dir(find(t, "initdb"))
	dir, err := os.MkdirTemp("", "thaw-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := owner(t, dir)
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "thaw", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = as, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	// Clients are killed here, not the server: it need not sync.
	postgres := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	postgres.SysProcAttr, postgres.Dir, postgres.Stdout, postgres.Stderr = as, dir, log, log
	if err := postgres.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		postgres.Process.Signal(syscall.SIGINT) // ends sessions, and the server
		postgres.Wait()
	})
	dsn = fmt.Sprintf("host=%s user=thaw dbname=postgres", dir)
	deadline, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		c, err := pgx.Connect(deadline, dsn)
		if err == nil {
			c.Close(deadline)
			return dsn
		}
		if deadline.Err() != nil {
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("the server does not answer: %v\n%s", err, text)
		}
		time.Sleep(20 * time.Millisecond) // it is another process, which says nothing when it is ready
	}
}

// find returns the path of a program of PostgreSQL, which distributions keep out of PATH.
func find(t *testing.T, program string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if len(found) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("PostgreSQL is not installed")
		}
		t.Skip("PostgreSQL is not installed: apt-get install postgresql")
	}
	return found[len(found)-1]
}

// owner gives dir to another user if root runs the test, as whom PostgreSQL does not run.
func owner(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			t.Fatal(err)
		}
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
