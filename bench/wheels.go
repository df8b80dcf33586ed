package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Limits of reports on wheels.
const (
	unpackTimes = 1.5 // multiple of the processor time of unpacking and hashing
	wheelMemory = 250 // MiB
	pageSeconds = 2
	smallPage   = 64 << 10 // bytes; the style and the script alone are larger than a small JSON report
)

// setupWheels measures reports on wheels against unpacking and hashing the same wheel, and their
// HTML pages against their JSON and, with --browser, an empty page.
//
//	go run ./bench wheels --dir /var/tmp --browser chromium WHEEL...
func setupWheels(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write files below this `directory` (required)")
	devices := b.Flags.String("devices", "intel_gpu_acm_g10,intel_gpu_bmg_g21,intel_gpu_pvc", "the `devices` of the report")
	browser := b.Flags.String("browser", "", "also measure how long this `program`, such as chromium, takes to draw the page")
	binary := b.Flags.String("compat", "", "measure this `binary` instead of building compat with 'go build'")
	return func() error {
		wheels := b.Flags.Args()
		switch {
		case *dir == "":
			return errors.New("--dir is missing: a directory to write to")
		case len(wheels) == 0:
			return errors.New("WHEEL is missing: a file, such as 'pip download --no-deps dpnp==0.20.0' fetches")
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		compat, err := b.Tool("compat", *binary)
		if err != nil {
			return err
		}
		for _, wheel := range wheels {
			if wheel, err = filepath.Abs(wheel); err != nil {
				return err
			}
			if err := measureWheel(b, compat, wheel, *devices); err != nil {
				return err
			}
			if *browser == "" {
				continue
			}
			if err := measurePage(b, *browser, packageName(wheel)); err != nil {
				return err
			}
		}
		return nil
	}
}

// packageName returns the package and version of a wheel.
func packageName(wheel string) string {
	parts := strings.SplitN(filepath.Base(wheel), "-", 3)
	return strings.Join(parts[:min(len(parts), 2)], " ")
}

// Files in the scratch directory.
const (
	jsonFile  = "report.json"
	pageFile  = "page.html"
	emptyFile = "empty.html"
)

// measureWheel measures the report on a wheel, and leaves its JSON and page in the scratch directory.
func measureWheel(b *Bench, compat, wheel, devices string) error {
	name := packageName(wheel)
	shell := func(script string, args ...string) []string {
		return append([]string{"bash", "-o", "pipefail", "-c", script, "bash"}, args...)
	}
	// Notes about the wheel are on standard error.
	r, err := b.Compete(
		Contender{Name: name + ": compat report", Args: shell(`"$@" 2> notes || { cat notes >&2; exit 1; }`, compat, "report", "--devices", devices, "--output", jsonFile, wheel)},
		Contender{Name: name + ": unzip -p | sha256sum", Args: shell(`unzip -p "$1" | sha256sum`, wheel)},
		Contender{Name: name + ": HTML page", Args: []string{compat, "show", "--format", "html", "--output", pageFile, jsonFile}},
	)
	if err != nil {
		return err
	}
	b.AtMost(name+": processor time, times unzip -p | sha256sum", r[0].CPU/r[1].CPU, unpackTimes, "")
	b.AtMost(name+": memory of compat report", float64(r[0].MaxRSS)/MiB, wheelMemory, "MiB")
	page, err := os.Stat(filepath.Join(b.Dir, pageFile))
	if err != nil {
		return err
	}
	data, err := os.Stat(filepath.Join(b.Dir, jsonFile))
	if err != nil {
		return err
	}
	b.AtMost(name+": size of the page, relative to the JSON", float64(page.Size())/float64(max(data.Size(), smallPage)), 1, "")
	return nil
}

// measurePage measures how much longer a browser takes to draw the page than an empty page.
func measurePage(b *Bench, browser, name string) error {
	if err := os.WriteFile(filepath.Join(b.Dir, emptyFile), []byte("<!DOCTYPE html><title>empty</title>"), 0o666); err != nil {
		return err
	}
	picture := filepath.Join(b.Dir, "page.png")
	draw := func(file string) func() error {
		return func() error {
			err := b.call(b.Dir, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000",
				"--user-data-dir="+filepath.Join(b.Dir, "browser"), "--screenshot="+picture, "file://"+filepath.Join(b.Dir, file))
			return errors.Join(err, os.Remove(picture)) // a browser that fails may exit with 0
		}
	}
	r, err := b.Compete(
		Contender{Name: name + ": the page in a browser", Run: draw(pageFile)},
		Contender{Name: name + ": an empty page", Run: draw(emptyFile)},
	)
	if err != nil {
		return err
	}
	b.AtMost(name+": time to draw the page, more than an empty page", r[0].Seconds-r[1].Seconds, pageSeconds, "s")
	return nil
}
