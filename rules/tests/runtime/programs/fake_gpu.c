// An OpenCL layer that makes the CPU device look like an Intel GPU. It shows what a SYCL runtime
// does with device images for GPUs on a system without a GPU.
//
// The OpenCL loader loads it with OPENCL_LAYERS=libfake_gpu.so. It reads these variables:
//
//   FAKE_GPU_IP           Intel's number of the GPU (CL_DEVICE_IP_VERSION_INTEL), such as
//                         0x030f0007. Without it, the device remains a CPU.
//   FAKE_GPU_WITHOUT      Features to hide, separated by commas: fp64, fp16, atomic64.
//   FAKE_GPU_SUB_GROUPS   The sub-group sizes, separated by commas, such as 16,32.
//   FAKE_GPU_WORK_GROUP   The largest number of work-items in a work-group.
//   FAKE_GPU_WORK_ITEMS   The largest number in each dimension, such as 1024,1024,64.
//   FAKE_GPU_IMAGES       A file with the expected images. A line has a name, the path of an
//                         image, and the path of the SPIR-V module to run instead,
//                         separated by tabs. An IR module runs itself and has no third column.
//   FAKE_GPU_LOG          A file to which a line is added for each image that OpenCL gets,
//                         "given native NAME" or "given ir NAME", and for each kernel that is
//                         created from one, "kernel KERNEL of native NAME". NAME is "unknown" if
//                         the image is not in the list.
//
// A native image never runs: OpenCL gets the SPIR-V in its line instead.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch *next;  // the functions below this layer
static cl_icd_dispatch table;        // next, with this layer's functions

// Returns whether a comma-separated list contains a word.
static int listed(const char *list, const char *word) {
  const size_t size = strlen(word);
  for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
    if (strncmp(p, word, size) == 0 && (p[size] == ',' || p[size] == '\0')) return 1;
  return 0;
}

static int without(const char *feature) { return listed(getenv("FAKE_GPU_WITHOUT"), feature); }

// Aborts the program, because a test with an invalid setup must not continue.
static void fail(const char *what, const char *path) {
  fprintf(stderr, "fake_gpu: %s: %s\n", what, path);
  abort();
}

typedef struct {
  unsigned char *data;
  size_t size;
} Bytes;

static Bytes read_file(const char *path) {
  Bytes b = {NULL, 0};
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0) fail("cannot read", path);
  const long size = ftell(f);
  if (size < 0 || fseek(f, 0, SEEK_SET) != 0) fail("cannot read", path);
  b.size = (size_t)size;
  b.data = malloc(b.size + 1);
  if (!b.data || fread(b.data, 1, b.size, f) != b.size) fail("cannot read", path);
  b.data[b.size] = '\0';
  fclose(f);
  return b;
}

static void add_to_log(const char *what, const char *name, const char *image) {
  const char *path = getenv("FAKE_GPU_LOG");
  if (!path) return;
  FILE *f = fopen(path, "a");
  if (!f) fail("cannot write", path);
  fprintf(f, "%s %s%s\n", what, name, image);
  fclose(f);
}

// An image in the list: its kind and name, and the path of the SPIR-V that runs instead, or "" if
// there is none.
typedef struct {
  char name[512], path[4096];
} Image;

// Finds an image in the list and logs it.
static Image look_up(const char *kind, const void *data, size_t size) {
  const char *list = getenv("FAKE_GPU_IMAGES");
  Image found = {"", ""};
  snprintf(found.name, sizeof found.name, "%s unknown", kind);
  Bytes lines = {NULL, 0};
  if (list) lines = read_file(list);
  char *rest = (char *)lines.data;
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (*line == '\0') continue;
    const char *name = strsep(&line, "\t");
    const char *path = strsep(&line, "\t");
    if (!path) fail("a line without an image", list);
    const Bytes image = read_file(path);
    const int same = image.size == size && memcmp(image.data, data, size) == 0;
    free(image.data);
    if (!same) continue;
    snprintf(found.name, sizeof found.name, "%s %s", kind, name);
    snprintf(found.path, sizeof found.path, "%s", line ? line : "");
    break;
  }
  free(lines.data);
  add_to_log("given", found.name, "");
  return found;
}

// The programs and their images. A test has few programs, so they are never removed; if an address
// is reused, the newest program counts.
static struct {
  cl_program program;
  char name[512];
} programs[4096];
static size_t program_count;

static cl_program remember(cl_program program, const char *name) {
  if (program_count == sizeof programs / sizeof *programs) fail("too many programs", name);
  programs[program_count].program = program;
  snprintf(programs[program_count++].name, sizeof programs->name, "%s", name);
  return program;
}

static const char *name_of(cl_program program) {
  for (size_t i = program_count; i-- > 0;)
    if (programs[i].program == program) return programs[i].name;
  return "unknown";
}

static CL_API_ENTRY cl_program CL_API_CALL create_with_il(cl_context context, const void *il,
                                                          size_t size, cl_int *status) {
  const Image image = look_up("ir", il, size);
  return remember(next->clCreateProgramWithIL(context, il, size, status), image.name);
}

static CL_API_ENTRY cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices,
                                                              const size_t *sizes,
                                                              const unsigned char **images,
                                                              cl_int *each, cl_int *status) {
  if (count != 1) fail("more than one device", "clCreateProgramWithBinary");
  const Image image = look_up("native", images[0], sizes[0]);
  if (image.path[0] == '\0')
    return next->clCreateProgramWithBinary(context, count, devices, sizes, images, each, status);
  const Bytes module = read_file(image.path);
  cl_program program = next->clCreateProgramWithIL(context, module.data, module.size, status);
  free(module.data);
  if (each) *each = CL_SUCCESS;
  return remember(program, image.name);
}

static CL_API_ENTRY cl_program CL_API_CALL
link_programs(cl_context context, cl_uint device_count, const cl_device_id *devices,
              const char *options, cl_uint count, const cl_program *parts,
              void(CL_CALLBACK *notify)(cl_program, void *), void *data, cl_int *status) {
  char name[512] = "link:";
  for (cl_uint i = 0; i < count; ++i) {
    const size_t used = strlen(name);
    snprintf(name + used, sizeof name - used, " %s", name_of(parts[i]));
  }
  return remember(next->clLinkProgram(context, device_count, devices, options, count, parts, notify,
                                      data, status),
                  name);
}

static CL_API_ENTRY cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
                                                        cl_int *status) {
  char image[512 + 4];
  snprintf(image, sizeof image, " of %s", name_of(program));
  add_to_log("kernel", name, image);
  return next->clCreateKernel(program, name, status);
}

// The loader asks each platform for devices of a type. Because the CPU acts as a GPU, both types
// are queried, and the type that each device reports decides.
static CL_API_ENTRY cl_int CL_API_CALL get_ids(cl_platform_id platform, cl_device_type type,
                                               cl_uint room, cl_device_id *devices,
                                               cl_uint *count) {
  if (getenv("FAKE_GPU_IP") && type != CL_DEVICE_TYPE_ALL && type != CL_DEVICE_TYPE_DEFAULT)
    type =
        type & CL_DEVICE_TYPE_GPU ? CL_DEVICE_TYPE_CPU : type & ~(cl_device_type)CL_DEVICE_TYPE_CPU;
  if (type == 0) return CL_DEVICE_NOT_FOUND;
  return next->clGetDeviceIDs(platform, type, room, devices, count);
}

static cl_int answer(const void *data, size_t size, size_t room, void *value, size_t *needed) {
  if (needed) *needed = size;
  if (!value) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  memcpy(value, data, size);
  return CL_SUCCESS;
}

// Returns the extensions of the device without the hidden ones, and with the extension with which
// Intel's GPUs report their number.
static cl_int extensions(cl_device_id device, size_t room, void *value, size_t *needed) {
  size_t size = 0;
  cl_int status = next->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
  if (status != CL_SUCCESS) return status;
  const char extra[] = "cl_intel_device_attribute_query cl_intel_required_subgroup_size";
  char *all = calloc(1, size + 1), *kept = calloc(1, size + sizeof extra + 1);
  status = next->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, all, NULL);
  char *rest = all;
  for (char *word; (word = strsep(&rest, " "));) {
    if (*word == '\0') continue;
    if (without("fp64") && strcmp(word, "cl_khr_fp64") == 0) continue;
    if (without("fp16") && strcmp(word, "cl_khr_fp16") == 0) continue;
    if (without("atomic64") && strncmp(word, "cl_khr_int64_", 13) == 0) continue;
    strcat(strcat(kept, word), " ");
  }
  strcat(kept, extra);
  if (status == CL_SUCCESS) status = answer(kept, strlen(kept) + 1, room, value, needed);
  free(all);
  free(kept);
  return status;
}

// Returns comma-separated sizes as an array of numbers.
static cl_int sizes(const char *list, size_t room, void *value, size_t *needed) {
  size_t numbers[16], count = 0;
  for (char *end; *list && count < 16; list = *end == ',' ? end + 1 : end) {
    numbers[count++] = strtoul(list, &end, 10);
    if (end == list) fail("not a number", list);
  }
  return answer(numbers, count * sizeof *numbers, room, value, needed);
}

static CL_API_ENTRY cl_int CL_API_CALL get_info(cl_device_id device, cl_device_info what,
                                                size_t room, void *value, size_t *needed) {
  const char *ip = getenv("FAKE_GPU_IP"), *list = NULL;
  const cl_bitfield none = 0, gpu = CL_DEVICE_TYPE_GPU;
  if (!ip) return next->clGetDeviceInfo(device, what, room, value, needed);
  switch (what) {
    case CL_DEVICE_TYPE:
      return answer(&gpu, sizeof gpu, room, value, needed);
    case CL_DEVICE_IP_VERSION_INTEL: {
      const cl_version number = (cl_version)strtoul(ip, NULL, 0);
      return answer(&number, sizeof number, room, value, needed);
    }
    case CL_DEVICE_EXTENSIONS:
      return extensions(device, room, value, needed);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      if (without("fp64")) return answer(&none, sizeof none, room, value, needed);
      break;
    case CL_DEVICE_HALF_FP_CONFIG:
      if (without("fp16")) return answer(&none, sizeof none, room, value, needed);
      break;
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
      if ((list = getenv("FAKE_GPU_SUB_GROUPS"))) return sizes(list, room, value, needed);
      break;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      if ((list = getenv("FAKE_GPU_WORK_GROUP"))) return sizes(list, room, value, needed);
      break;
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      if ((list = getenv("FAKE_GPU_WORK_ITEMS"))) return sizes(list, room, value, needed);
      break;
  }
  return next->clGetDeviceInfo(device, what, room, value, needed);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value,
                                               size_t *needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const char name[] = "fake_gpu";
  if (what == CL_LAYER_API_VERSION) return answer(&version, sizeof version, room, value, needed);
  if (what == CL_LAYER_NAME) return answer(name, sizeof name, room, value, needed);
  return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *below,
                                            cl_uint *own_count, const cl_icd_dispatch **own) {
  const cl_uint size = sizeof table / sizeof(void *);
  next = below;
  memset(&table, 0, sizeof table);
  memcpy(&table, below, (count < size ? count : size) * sizeof(void *));
  table.clGetDeviceIDs = get_ids;
  table.clGetDeviceInfo = get_info;
  table.clCreateProgramWithIL = create_with_il;
  table.clCreateProgramWithBinary = create_with_binary;
  table.clLinkProgram = link_programs;
  table.clCreateKernel = create_kernel;
  *own_count = count < size ? count : size;
  *own = &table;
  return CL_SUCCESS;
}

// Newer loaders call these two functions.
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count,
                                                          const cl_icd_dispatch *below,
                                                          cl_uint *own_count,
                                                          const cl_icd_dispatch **own,
                                                          const cl_layer_properties *properties) {
  (void)properties;
  return clInitLayer(count, below, own_count, own);
}

CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void) { return CL_SUCCESS; }
