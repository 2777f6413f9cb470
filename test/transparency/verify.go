// Verifies an exported log with independent software: golang.org/x/mod/sumdb/note and sumdb/tlog, which check the public log of Go modules.
//
//	verify <folder> <key of the log> <earlier checkpoint> [key of a witness]
//	verify table <cases.json>
//
// The earlier checkpoint may be "-". Exits with 0 if everything holds, and otherwise prints the first error.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8
const width = 1 << height

func main() {
	if len(os.Args) == 3 && os.Args[1] == "table" {
		if err := playTable(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "verify <folder> <key of the log> <earlier checkpoint> [key of a witness]")
		os.Exit(2)
	}
	said, err := verify(os.Args[1], os.Args[2], os.Args[3], os.Args[4:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(said)
}

func verify(folder, key, earlier string, witnesses []string) (string, error) {
	tree, err := openCheckpoint(filepath.Join(folder, "checkpoint"), key, witnesses)
	if err != nil {
		return "", err
	}
	// The reader checks each tile that it reads against the root.
	hashes := tlog.TileHashReader(tree, tiles{folder})
	entries, err := checkEntries(folder, tree, hashes)
	if err != nil {
		return "", err
	}
	from := int64(0)
	if earlier != "-" {
		from, err = checkConsistency(earlier, key, tree, hashes)
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("verified: %d entries of %d, consistent with %d", entries, tree.N, from), nil
}

// openCheckpoint requires a signature of the log, and one of each witness.
func openCheckpoint(file, key string, witnesses []string) (tlog.Tree, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return tlog.Tree{}, err
	}
	return openNote(text, file, key, witnesses)
}

func openNote(text []byte, file, key string, witnesses []string) (tlog.Tree, error) {
	log, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	known := []note.Verifier{log}
	for _, witness := range witnesses {
		verifier, err := newWitness(witness)
		if err != nil {
			return tlog.Tree{}, err
		}
		known = append(known, verifier)
	}
	opened, err := note.Open(text, note.VerifierList(known...))
	if err != nil {
		return tlog.Tree{}, err
	}
	for _, one := range known {
		if !isSignedBy(opened, one) {
			return tlog.Tree{}, fmt.Errorf("%s did not sign %s", one.Name(), file)
		}
	}
	return parseTree(opened.Text, log.Name())
}

func isSignedBy(opened *note.Note, one note.Verifier) bool {
	for _, signature := range opened.Sigs {
		if signature.Name == one.Name() && signature.Hash == one.KeyHash() {
			return true
		}
	}
	return false
}

// parseTree reads three lines, because tlog.ParseTree expects another first line.
func parseTree(text, origin string) (tlog.Tree, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] != origin || lines[3] != "" {
		return tlog.Tree{}, fmt.Errorf("no checkpoint of %s: %q", origin, text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || lines[1] != strconv.FormatInt(size, 10) {
		return tlog.Tree{}, fmt.Errorf("no size: %q", lines[1])
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// checkEntries proves that each entry is the leaf at its index.
func checkEntries(folder string, tree tlog.Tree, hashes tlog.HashReader) (int64, error) {
	count := int64(0)
	for index := int64(0); index*width < tree.N; index++ {
		tile := tlog.Tile{H: height, L: 0, N: index, W: int(min(width, tree.N-index*width))}
		path := strings.Replace(tilePath(tile), "tile/0/", "tile/entries/", 1)
		bundle, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return count, err
		}
		entries, err := entriesIn(bundle, tile.W)
		if err != nil {
			return count, fmt.Errorf("%s: %w", path, err)
		}
		for _, entry := range entries {
			proof, err := tlog.ProveRecord(tree.N, count, hashes)
			if err != nil {
				return count, err
			}
			if err := tlog.CheckRecord(proof, tree.N, tree.Hash, count, tlog.RecordHash(entry)); err != nil {
				return count, fmt.Errorf("entry %d is not in the log: %w", count, err)
			}
			count++
		}
	}
	return count, nil
}

func entriesIn(bundle []byte, count int) ([][]byte, error) {
	var entries [][]byte
	for len(bundle) > 0 {
		if len(bundle) < 2 {
			return nil, errors.New("a bundle that is cut")
		}
		length := int(binary.BigEndian.Uint16(bundle))
		if len(bundle) < 2+length {
			return nil, errors.New("a bundle that is cut")
		}
		entries = append(entries, bundle[2:2+length])
		bundle = bundle[2+length:]
	}
	if len(entries) != count {
		return nil, fmt.Errorf("%d entries in place of %d", len(entries), count)
	}
	return entries, nil
}

func checkConsistency(earlier, key string, tree tlog.Tree, hashes tlog.HashReader) (int64, error) {
	old, err := openCheckpoint(earlier, key, nil)
	if err != nil {
		return 0, err
	}
	proof, err := tlog.ProveTree(tree.N, old.N, hashes)
	if err != nil {
		return 0, err
	}
	if err := tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash); err != nil {
		return 0, fmt.Errorf("the log does not begin with the %d leaves of %s: %w", old.N, earlier, err)
	}
	return old.N, nil
}

// tiles reads tiles from the folder of an export.
type tiles struct{ folder string }

func (t tiles) Height() int { return height }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(wanted))
	for at, tile := range wanted {
		read, err := os.ReadFile(filepath.Join(t.folder, tilePath(tile)))
		if err != nil {
			return nil, err
		}
		data[at] = read
	}
	return data, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// tilePath leaves out the height, with which the paths of tlog start.
func tilePath(tile tlog.Tile) string {
	return strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
}

// witness verifies cosignatures (C2SP tlog-cosignature), which the module does not support.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

const cosignatureType = 4

func newWitness(text string) (note.Verifier, error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 {
		return nil, errors.New("no key of a witness: " + text)
	}
	typed, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(typed) != 1+ed25519.PublicKeySize || typed[0] != cosignatureType {
		return nil, errors.New("no key of a witness: " + text)
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), typed...))
	hash := binary.BigEndian.Uint32(sum[:])
	if parts[1] != fmt.Sprintf("%08x", hash) {
		return nil, errors.New("the id is not that of the key: " + text)
	}
	return witness{parts[0], hash, typed[1:]}, nil
}

func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.hash }

func (w witness) Verify(message, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	at := binary.BigEndian.Uint64(signature)
	signed := bytes.Join([][]byte{[]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", at)), message}, nil)
	return ed25519.Verify(w.key, signed, signature[8:])
}

func min(one, other int64) int64 {
	if one < other {
		return one
	}
	return other
}

// proofCase is a case of the table that the verifiers share (proof-table.ts).
type proofCase struct {
	Name, Kind                    string
	Entry, Root, OldRoot, NewRoot string
	Index, Size, OldSize, NewSize json.RawMessage
	Path                          json.RawMessage
	Note                          string
	Keys, Witnesses               []string
	Needed                        int
}

// playTable prints the names of the cases that hold.
func playTable(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var cases []proofCase
	if err := json.Unmarshal(text, &cases); err != nil {
		return err
	}
	for _, one := range cases {
		if one.holds() == nil {
			fmt.Println(one.Name)
		}
	}
	return nil
}

func (one proofCase) holds() error {
	switch one.Kind {
	case "checkpoint":
		_, err := openNote([]byte(one.Note), "the note", one.Keys[0], one.Witnesses)
		return err
	case "inclusion":
		return one.isIncluded()
	case "consistency":
		return one.isConsistent()
	}
	return errors.New("no kind of a proof: " + one.Kind)
}

func (one proofCase) isIncluded() error {
	entry, err := base64.StdEncoding.DecodeString(one.Entry)
	if err != nil {
		return err
	}
	index, size, root, path, err := read(one.Index, one.Size, one.Root, one.Path)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(path, size, root, index, tlog.RecordHash(entry))
}

func (one proofCase) isConsistent() error {
	old, size, root, path, err := read(one.OldSize, one.NewSize, one.NewRoot, one.Path)
	if err != nil {
		return err
	}
	oldRoot, err := tlog.ParseHash(one.OldRoot)
	if err != nil {
		return err
	}
	return tlog.CheckTree(path, size, root, old, oldRoot)
}

// read returns an error unless the values are whole numbers, a hash and a list of hashes.
func read(first, second json.RawMessage, rootText string, pathText json.RawMessage) (one, other int64, root tlog.Hash, path []tlog.Hash, err error) {
	if one, err = strconv.ParseInt(string(first), 10, 64); err != nil {
		return
	}
	if other, err = strconv.ParseInt(string(second), 10, 64); err != nil {
		return
	}
	if root, err = tlog.ParseHash(rootText); err != nil {
		return
	}
	var texts []string
	if err = json.Unmarshal(pathText, &texts); err != nil {
		return
	}
	if texts == nil {
		err = errors.New("there is no path")
	}
	for _, text := range texts {
		var hash tlog.Hash
		if hash, err = tlog.ParseHash(text); err != nil {
			return
		}
		path = append(path, hash)
	}
	return
}
