package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// policyNames are the default names of a policy in a directory.
var policyNames = []string{".github/sycl-compat.yml", ".github/sycl-compat.yaml"}

// candidates returns the possible paths of a policy, nearest first, with one list per directory.
// They are relative to the input directory.
func (p place) candidates() (list [][]string) {
	top := p.repo
	if top == "" || !isBelow(p.dir, top) {
		top = p.outer
	}
	for dir, up := p.dir, ""; ; dir, up = filepath.Dir(dir), path.Join(up, "..") {
		var names []string
		for _, name := range policyNames {
			names = append(names, path.Join(up, name))
		}
		list = append(list, names)
		if dir == top || dir == filepath.Dir(dir) {
			return list
		}
	}
}

// findPolicy returns the policy that applies: the policy that an input names, or else the nearest
// policy from the input directory up to the root of the repository. read must return [errAbsent]
// for a file that does not exist. findPolicy returns [errAbsent] if there is no policy. After any
// other error, it is unknown whether there is one.
func findPolicy(p place, named string, read func(name string) ([]byte, error)) (gatefiles.GateFile, error) {
	candidates := [][]string{{named}}
	if named == "" {
		candidates = p.candidates()
	}
	for _, names := range candidates {
		var found []gatefiles.GateFile
		for _, name := range names {
			data, err := read(name)
			switch {
			case err == nil:
				found = append(found, gatefiles.GateFile{Name: name, Data: data})
			case !errors.Is(err, errAbsent):
				return gatefiles.GateFile{}, err
			}
		}
		switch len(found) {
		case 1:
			return found[0], nil
		case 2:
			return gatefiles.GateFile{}, cli.Usagef("found two policies, %s and %s; remove one, or select one with the input policy-file", found[0].Name, found[1].Name)
		}
	}
	return gatefiles.GateFile{}, errAbsent
}

// readChange reads a file of the change for [findPolicy].
func (p place) readChange(name string) ([]byte, error) {
	ok, err := p.exists(name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errAbsent
	}
	return p.read(name)
}

// rules holds the policy, the baseline and the devices of a check, and the versions that they are
// compared with.
type rules struct {
	policy, baseline         gatefiles.GateFile
	basePolicy, baseBaseline gatefiles.GateFile // of the base commit, if policy-ref is head
	nextPolicy, nextBaseline gatefiles.GateFile // of the change, if policy-ref is base
	baseDecides              bool
	noBaseline               bool                 // the baseline that an input names does not exist
	devices                  *deviceconfig.Config // that binaries are checked for
	baseDevices, nextDevices *deviceconfig.Config // nil if unknown
	notCompared              []string
	log                      []string
	notices                  []string // to authors and reviewers
}

// A chooser determines [rules].
type chooser struct {
	*base
	settings *settings
	paths    inputPaths
	isChange bool // the event may be about a change
	rules
}

// chooseRules decides whether the policy, baseline and device configuration of the change or of the
// base apply, and finds those to compare with. If the rules of the base apply, an unreadable file
// is an error, because a change must not get a weaker policy by hiding a file. Otherwise,
// chooseRules records the error in notCompared, and never treats the file as absent.
func chooseRules(s *settings, paths inputPaths, j *job, b *base) (rules, error) {
	c := chooser{settings: s, paths: paths, base: b, isChange: j.event.isChange()}
	c.baseDecides = s.policyRef == "base" || j.event.forkRun() != nil
	choose := c.applyChangeRules
	if c.baseDecides {
		choose = c.applyBaseRules
	}
	if err := choose(); err != nil {
		return rules{}, err
	}
	return c.rules, nil
}

// cannotCompare records why the change is not compared with its base.
func (c *chooser) cannotCompare(format string, args ...any) {
	text := "the policy and the baseline are not compared with the base commit: " + fmt.Sprintf(format, args...)
	if !slices.Contains(c.notCompared, text) {
		c.notCompared = append(c.notCompared, text)
	}
}

func (c *chooser) logf(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf(format, args...))
}

// applyChangeRules applies the rules of the change.
func (c *chooser) applyChangeRules() error {
	policy, err := findPolicy(c.place, c.paths.policy, c.readChange)
	if errors.Is(err, errAbsent) {
		if committed, err := c.policyOf(c.repository.head()); err == nil {
			return c.notInCheckout(committed.Name)
		}
	}
	switch {
	case errors.Is(err, errAbsent) && c.paths.policy != "":
		return cli.Usagef("input policy-file: cannot read %s: file not found", c.settings.policyFile)
	case errors.Is(err, errAbsent):
	case err != nil:
		return cli.Usagef("%w", err)
	}
	c.policy = policy
	c.logPolicy("")
	if err := c.readBaseline(); err != nil {
		return err
	}
	if c.devices, err = devicesOf(c.paths.deviceConfig, c.place.read); err != nil {
		return fmt.Errorf("input device-config: %w", err)
	}
	if c.commit == "" {
		if c.settings.compareWithBase == "required" || c.isChange {
			c.cannotCompare("%s; run the check for pull_request events to compare them", c.unknownReason)
		}
		return nil
	}
	c.comparePolicy()
	if c.paths.baseline != "" {
		c.compareBaseline()
	}
	c.compareDevices()
	return nil
}

// notInCheckout returns the error for a file that the checked-out commit contains and the checkout
// lacks. Such a file must not count as absent.
func (c *chooser) notInCheckout(name string) error {
	name = c.inWorkspace(name)
	return cli.Usagef("the checkout lacks %s, although its commit contains the file; add %s to the input sparse-checkout of actions/checkout, and do not delete the file before this step", name, path.Dir(name))
}

// readBaseline reads the baseline of the change. It may not exist: the first run has none, and the
// check decides whether that is an error.
func (c *chooser) readBaseline() error {
	if c.paths.baseline == "" {
		return nil
	}
	data, err := c.readChange(c.paths.baseline)
	switch {
	case errors.Is(err, errAbsent):
		if _, err := c.file(c.repository.head(), c.paths.baseline); err == nil {
			return c.notInCheckout(c.paths.baseline)
		}
		c.noBaseline = true
	case err != nil:
		return cli.BadInput(fmt.Errorf("input baseline-file: %w", err))
	default:
		c.baseline = gatefiles.GateFile{Name: c.paths.baseline, Data: data}
	}
	return nil
}

// logPolicy logs which policy applies, and why.
func (c *chooser) logPolicy(of string) {
	name := c.inWorkspace(c.policy.Name)
	switch {
	case c.policy.Name == "":
		c.logf("Policy%s: none. No %s was found between the working directory and the root of the repository, so every kernel must run on every device in the reports.", of, strings.Join(policyNames, " or "))
	case c.paths.policy != "":
		c.logf("Policy%s: %s (from the input policy-file).", of, name)
	case strings.HasPrefix(c.policy.Name, "../"):
		c.logf("Policy%s: %s, the nearest policy above the working directory.", of, name)
	default:
		c.logf("Policy%s: %s.", of, name)
	}
}

// checks validate files.
var checks = map[string]func(name string, r io.Reader) error{
	"policy":   func(name string, r io.Reader) error { _, err := gate.ReadPolicy(name, r); return err },
	"baseline": func(name string, r io.Reader) error { _, err := gate.ReadBaseline(name, r); return err },
}

// comparePolicy finds the policy to compare the change's policy with.
func (c *chooser) comparePolicy() {
	old, err := c.policyOf(c.commit)
	if err == nil && !errors.Is(err, errAbsent) {
		if invalid := checks["policy"](old.Name, bytes.NewReader(old.Data)); invalid != nil {
			err = fmt.Errorf("invalid policy in the base commit %.12s: %v", c.commit, invalid)
		}
	}
	switch {
	case errors.Is(err, errAbsent):
		old = gatefiles.GateFile{Name: cmp.Or(c.policy.Name, policyNames[0]), Absent: true}
	case err != nil:
		c.cannotCompare("%v", err)
		return
	}
	if c.policyIsUntouched(old) {
		old = c.policy
		if old.Name == "" {
			old = gatefiles.GateFile{Name: policyNames[0], Absent: true}
		}
	}
	c.basePolicy = old
}

// policyOf returns the policy that applies in a commit.
func (c *chooser) policyOf(commit string) (gatefiles.GateFile, error) {
	return findPolicy(c.place, c.paths.policy, func(name string) ([]byte, error) { return c.file(commit, name) })
}

// policyIsUntouched reports whether only the base branch has changed the policy since the change
// began.
func (c *chooser) policyIsUntouched(old gatefiles.GateFile) bool {
	now, err := findPolicy(c.place, c.paths.policy, c.readChange)
	if err != nil && !errors.Is(err, errAbsent) || now.Name == old.Name && bytes.Equal(now.Data, old.Data) {
		return false
	}
	untouched := c.isUntouched(func(commit string) bool {
		began, err := c.policyOf(commit)
		return (err == nil || errors.Is(err, errAbsent)) && began.Name == now.Name && bytes.Equal(began.Data, now.Data)
	})
	if untouched {
		c.notices = append(c.notices, "the base branch has a newer policy; update the branch to check with it")
	}
	return untouched
}

// compareBaseline finds the baseline to compare the change's baseline with.
func (c *chooser) compareBaseline() {
	name := c.paths.baseline
	old, err := c.file(c.commit, name)
	if err == nil {
		if invalid := checks["baseline"](name, bytes.NewReader(old)); invalid != nil {
			err = fmt.Errorf("invalid baseline in the base commit %.12s: %v", c.commit, invalid)
		}
	}
	switch {
	case errors.Is(err, errAbsent):
		c.baseBaseline = gatefiles.GateFile{Name: name, Absent: true}
	case err != nil:
		c.cannotCompare("%v", err)
		return
	default:
		c.baseBaseline = gatefiles.GateFile{Name: name, Data: old}
	}
	if !c.noBaseline && !bytes.Equal(old, c.baseline.Data) && c.isUntouched(func(commit string) bool { return c.hasSame(commit, name, c.baseline.Data) }) {
		c.baseBaseline = c.baseline
	}
}

// compareDevices finds the device data of the base. If a change adds capabilities to a device,
// kernels pass that do not run on it.
func (c *chooser) compareDevices() {
	old, err := c.devicesOfCommit(c.commit)
	if err != nil {
		if _, ok := errors.AsType[*missingError](err); !ok {
			err = fmt.Errorf("device-config of the base commit %.12s: %w", c.commit, err)
		}
		c.cannotCompare("%v", err)
		return
	}
	c.baseDevices = old
	isSame := func(commit string) bool {
		return !slices.ContainsFunc(c.paths.deviceConfig, func(name string) bool {
			data, err := c.place.read(name)
			return err != nil || !c.hasSame(commit, name, data)
		})
	}
	if len(c.paths.deviceConfig) > 0 && !isSame(c.commit) && c.isUntouched(isSame) {
		c.baseDevices = c.devices
	}
}

// devicesOfCommit returns the built-in devices, overridden by those in the files of a commit. Files
// that the commit does not have are ignored.
func (c *chooser) devicesOfCommit(commit string) (*deviceconfig.Config, error) {
	return devicesOf(c.paths.deviceConfig, func(name string) ([]byte, error) {
		data, err := c.file(commit, name)
		if errors.Is(err, errAbsent) {
			return nil, nil
		}
		return data, err
	})
}

// applyBaseRules applies the rules of the base.
func (c *chooser) applyBaseRules() error {
	if c.commit == "" {
		if c.settings.policyRef != "base" {
			return cli.Usagef("%s", c.unknownReason)
		}
		return cli.Usagef("input policy-ref: %s; use head for this event", c.unknownReason)
	}
	const later = "policy-ref: base takes effect once the file is merged into the base branch"
	mark := func(err error) error {
		if missing, ok := errors.AsType[*missingError](err); ok {
			return cli.Usagef("input policy-ref: %v", missing)
		}
		if wrong, ok := errors.AsType[*pathError](err); ok {
			return cli.Usagef("input policy-ref: %v", wrong)
		}
		return err
	}
	policy, err := c.policyOf(c.commit)
	switch {
	case errors.Is(err, errAbsent) && c.paths.policy != "":
		return cli.Usagef("input policy-file: the base commit %.12s does not contain %s; %s", c.commit, c.paths.policy, later)
	case err != nil && !errors.Is(err, errAbsent):
		return mark(err)
	}
	c.policy = policy
	c.logPolicy(fmt.Sprintf(" of the base commit %.12s", c.commit))
	if c.paths.baseline != "" {
		data, err := c.file(c.commit, c.paths.baseline)
		switch {
		case errors.Is(err, errAbsent):
			return cli.Usagef("input baseline-file: the base commit %.12s does not contain %s; %s", c.commit, c.paths.baseline, later)
		case err != nil:
			return mark(err)
		}
		c.baseline = gatefiles.GateFile{Name: c.paths.baseline, Data: data}
	}
	c.devices, err = devicesOf(c.paths.deviceConfig, func(name string) ([]byte, error) { return c.file(c.commit, name) })
	switch {
	case errors.Is(err, errAbsent):
		return cli.Usagef("input device-config: the base commit %.12s does not contain all of the files; %s", c.commit, later)
	case err != nil:
		if _, ok := errors.AsType[*missingError](err); ok {
			return mark(err)
		}
		return cli.Usagef("input device-config: %v", err)
	}
	c.baseDevices = c.devices
	c.readNextRules()
	return nil
}

// readNextRules reads the rules of the change, which apply once it is merged. They need not be
// valid, because they are read only to report how they differ.
func (c *chooser) readNextRules() {
	policy, err := findPolicy(c.place, c.paths.policy, c.readChange)
	switch {
	case errors.Is(err, errAbsent):
		policy = gatefiles.GateFile{Name: cmp.Or(c.paths.policy, policyNames[0]), Absent: true}
	case err == nil:
		err = checks["policy"](policy.Name, bytes.NewReader(policy.Data))
	}
	switch {
	case err != nil && !errors.Is(err, errAbsent):
		c.cannotCompare("cannot read the policy of the change: %v", err)
	case !c.policyIsUntouched(c.policy):
		c.nextPolicy = policy
	}
	if c.paths.baseline != "" {
		c.nextBaseline = c.nextBaselineFile()
	}
	devices, err := devicesOf(c.paths.deviceConfig, c.place.read)
	if err != nil {
		c.cannotCompare("cannot read device-config of the change: %v", err)
		return
	}
	c.nextDevices = devices
}

func (c *chooser) nextBaselineFile() gatefiles.GateFile {
	name := c.paths.baseline
	data, err := c.readChange(name)
	if errors.Is(err, errAbsent) {
		return gatefiles.GateFile{Name: name, Absent: true}
	}
	if err == nil {
		err = checks["baseline"](name, bytes.NewReader(data))
	}
	if err != nil {
		c.cannotCompare("cannot read the baseline of the change: %v", err)
		return gatefiles.GateFile{}
	}
	if !bytes.Equal(data, c.baseline.Data) && c.isUntouched(func(commit string) bool { return c.hasSame(commit, name, data) }) {
		return gatefiles.GateFile{}
	}
	return gatefiles.GateFile{Name: name, Data: data}
}
