package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// deviceEntry is the subcommand device-entry.
type deviceEntry struct {
	clinfo, from, device string
	ocloc, oclocDevice   string
	name, output         string
	given                map[string]bool // flags
}

func (e *deviceEntry) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&e.from, "from", "", "read the output of 'clinfo --raw' from this `file` instead of running it")
	fs.StringVar(&e.clinfo, "clinfo", "clinfo", "`program` to run with --raw")
	fs.StringVar(&e.device, "device", "", "only the device with this `id`, such as POCL/0")
	fs.StringVar(&e.oclocDevice, "ocloc-device", "", "query ocloc about this Intel `device`, such as acm-g10, instead of OpenCL")
	fs.StringVar(&e.ocloc, "ocloc", "ocloc", "`program` to query about Intel devices")
	fs.StringVar(&e.name, "name", "", "`target` name of the entry, if there is one device")
	fs.StringVar(&e.output, "output", "", "write the entries to this `file`")
	e.given = map[string]bool{}
	return func(ctx context.Context, env *cli.Env, args []string) error {
		fs.Visit(func(f *flag.Flag) { e.given[f.Name] = true })
		return e.run(ctx, env, args)
	}
}

func (e *deviceEntry) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := e.check(args); err != nil {
		return err
	}
	devices, err := e.devices(ctx, env)
	if err != nil {
		return err
	}
	if e.name != "" && len(devices) > 1 {
		return cli.Usagef("%d devices for the name %s; select one with --device: %s", len(devices), e.name, ids(devices))
	}
	text, err := e.entries(devices)
	if err != nil {
		return err
	}
	// Identical devices have equal entries; otherwise the later entry counts.
	config, err := deviceconfig.Read("the entries", bytes.NewReader(text))
	if err != nil {
		return err
	}
	for _, w := range config.Warnings {
		env.Warnf("", "%s: several devices have this name; select one with --device: %s", w.Target, ids(devices))
	}
	return env.Output(e.output, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func (e *deviceEntry) check(args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usagef("unexpected argument %q", args[0])
	case e.oclocDevice != "" && (e.from != "" || e.device != ""):
		return cli.Usagef("--ocloc-device cannot be combined with --from and --device, which are for OpenCL")
	case e.given["clinfo"] && (e.from != "" || e.oclocDevice != ""):
		return cli.Usagef("--clinfo cannot be combined with --from or --ocloc-device")
	case e.given["ocloc"] && e.oclocDevice == "":
		return cli.Usagef("--ocloc requires --ocloc-device")
	case strings.HasPrefix(e.oclocDevice, "-"):
		return cli.Usagef("the device %q looks like a flag of ocloc", e.oclocDevice)
	}
	return nil
}

// entries returns the text of the entries of devices.
func (e *deviceEntry) entries(devices []*deviceconfig.OpenCLDevice) ([]byte, error) {
	var text bytes.Buffer
	for i, o := range devices {
		target := o.Target()
		switch {
		case e.name != "":
			target = e.name
		case e.oclocDevice != "":
			target = "intel_gpu_" + strings.NewReplacer("-", "_", ".", "_").Replace(e.oclocDevice)
		}
		entry, err := o.Entry(target)
		if err != nil {
			var syntax *deviceconfig.SyntaxError
			if errors.As(err, &syntax) {
				return nil, err
			}
			return nil, cli.Usagef("%v; set a different --name", err)
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(entry.Text())
	}
	return text.Bytes(), nil
}

// devices returns the devices that the flags select.
func (e *deviceEntry) devices(ctx context.Context, env *cli.Env) ([]*deviceconfig.OpenCLDevice, error) {
	if e.oclocDevice != "" {
		d, err := e.askOcloc(ctx)
		return []*deviceconfig.OpenCLDevice{d}, err
	}
	devices, err := e.readClinfo(ctx, env)
	if err != nil || e.device == "" {
		return devices, err
	}
	for _, d := range devices {
		if d.ID == e.device {
			return []*deviceconfig.OpenCLDevice{d}, nil
		}
	}
	return nil, cli.Usagef("unknown device %s; expected one of %s", e.device, ids(devices))
}

func ids(devices []*deviceconfig.OpenCLDevice) string {
	var list []string
	for _, d := range devices {
		list = append(list, d.ID)
	}
	return strings.Join(list, ", ")
}

func (e *deviceEntry) readClinfo(ctx context.Context, env *cli.Env) ([]*deviceconfig.OpenCLDevice, error) {
	if e.from != "" {
		data, err := cli.ReadInput(e.from, "output of 'clinfo --raw'", 64<<20)
		if err != nil {
			return nil, fmt.Errorf("output of clinfo: %w", err)
		}
		return deviceconfig.ReadClinfo(e.from, bytes.NewReader(data))
	}
	var out bytes.Buffer
	if err := buildstep.Run(ctx, nil, &out, env.Stderr, e.clinfo, "--raw"); err != nil {
		return nil, fmt.Errorf("cannot query OpenCL: %w; to use the output of clinfo from a different system, set --from", err)
	}
	return deviceconfig.ReadClinfo(filepath.Base(e.clinfo)+" --raw", &out)
}

// askOcloc returns ocloc's data on a device that need not be installed.
func (e *deviceEntry) askOcloc(ctx context.Context) (*deviceconfig.OpenCLDevice, error) {
	d := &deviceconfig.OpenCLDevice{ID: e.oclocDevice, From: "ocloc query", Partial: true, Answers: map[string]string{
		"CL_DEVICE_TYPE": "CL_DEVICE_TYPE_GPU", "CL_DEVICE_VENDOR_ID": "0x8086", // ocloc supports no others
	}}
	for _, q := range []struct{ query, prefix string }{{"CL_DEVICE_EXTENSIONS", "cl_"}, {"CL_DEVICE_OPENCL_C_FEATURES", "__opencl_c_"}} {
		answer, err := e.oclocQuery(ctx, q.query)
		if err != nil {
			return nil, err
		}
		// ocloc exits with 0 even if it does not support the device.
		if !strings.HasPrefix(answer, q.prefix) {
			return nil, cli.BadInput(fmt.Errorf("ocloc does not support the device %s:\n%s", e.oclocDevice, answer))
		}
		d.Answers[q.query] = answer
	}
	version, err := e.oclocQuery(ctx, "OCL_DRIVER_VERSION")
	d.Answers["CL_DRIVER_VERSION"] = version
	return d, err
}

// oclocQuery returns ocloc's output. ocloc also writes files to its working directory.
func (e *deviceEntry) oclocQuery(ctx context.Context, query string) (string, error) {
	program, err := exec.LookPath(e.ocloc)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return "", fmt.Errorf("cannot query ocloc: %v", err)
	}
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return "", err
	}
	defer remove()
	cmd := cli.Program(ctx, program, "query", query, "-device", e.oclocDevice)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	answer := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("ocloc query %s: %v:\n%s", query, err, answer)
	}
	return answer, nil
}
