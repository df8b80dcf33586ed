/* Finds the device images of a SYCLBIN file for programs that use OpenCL or
 * Level Zero and no SYCL runtime.
 *
 *   syclbin_file file;
 *   syclbin_error error;
 *   if (syclbin_open(bytes, size, &file, &error) != SYCLBIN_OK)
 *     fprintf(stderr, "offset %llu: %s\n", (unsigned long long)error.offset, error.message);
 *
 *   syclbin_device device = {.arch = syclbin_intel_gpu_name(ip_version)};
 *   syclbin_choice choice;
 *   if (syclbin_find(&file, "_ZTSN6linear4AxpyE", &device, &choice, &error) == SYCLBIN_OK)
 *     ... choice.image.data, choice.image.size, choice.kernel
 *
 * Files are of SYCLBIN version 1, bare or in an OffloadBinary container of
 * version 1 or 2, or of SYCLBIN version 2. They may come from anywhere: every
 * offset, count and size is checked, and syclbin_open refuses a file of which any
 * part is malformed, so that nothing else can fail later.
 *
 * Nothing is allocated and nothing is copied but short texts. Everything that is
 * handed out points into the bytes of the caller, which have to stay as they are.
 * An opened file is only read, also by several threads at once.
 *
 * docs/build/load-from-c.md has whole examples and says how to ask drivers about a device. */
#ifndef RULES_SYCL_LOADER_SYCLBIN_H_
#define RULES_SYCL_LOADER_SYCLBIN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum syclbin_status {
  SYCLBIN_OK = 0,
  SYCLBIN_BAD_FILE,   /* malformed, or no SYCLBIN file */
  SYCLBIN_OTHER_FORM, /* well-formed as far as it was read, but of a form that is not read here */
  SYCLBIN_NO_KERNEL,  /* no abstract module has a kernel of that name */
  SYCLBIN_NO_IMAGE,   /* the kernel has no image for the device */
  SYCLBIN_NOT_SUPPORTED, /* it has, and needs what the device does not have */
} syclbin_status;

typedef struct syclbin_error {
  syclbin_status status;
  uint64_t offset;   /* in the bytes of the caller; 0 when no byte is to blame */
  char message[256]; /* one line of printable ASCII */
} syclbin_error;

/* A text in the file. It does not end in NUL and has none in it. */
typedef struct syclbin_text {
  const char *data;
  size_t size;
} syclbin_text;

/* Bundle states. */
enum { SYCLBIN_INPUT = 0, SYCLBIN_OBJECT = 1, SYCLBIN_EXECUTABLE = 2 };

/* An opened file. Members after "private" are for syclbin.c alone, here and
 * below. */
typedef struct syclbin_file {
  uint32_t version;   /* of SYCLBIN: 1 or 2 */
  uint32_t container; /* version of the OffloadBinary container, 0 without one */
  uint32_t state;     /* SYCLBIN_INPUT and so on, UINT32_MAX when the file has none */
  uint32_t module_count;

  /* private */
  const unsigned char *data;
  uint64_t size;
  uint64_t base;   /* of the headers of version 1 */
  uint64_t global; /* metadata of the file */
  uint64_t global_size;
  uint32_t ir_count;
  uint64_t metadata; /* tables of version 1 */
  uint64_t metadata_size;
  uint64_t binary;
  uint64_t binary_size;
  uint64_t entries; /* table of entries of a container */
  uint64_t entry_count;
} syclbin_file;

/* Reads and checks a file that is in memory. It takes time that grows with the
 * size of the headers and of the metadata; images are not looked into. The error
 * may be NULL, here and below. On failure the file must not be used. */
syclbin_status syclbin_open(const void *data, size_t size, syclbin_file *file,
                            syclbin_error *error);

/* An abstract module: the same kernels in several forms. */
typedef struct syclbin_module {
  uint32_t index;        /* from 0 */
  syclbin_text metadata; /* text of property sets, of which the file has every byte */

  /* private */
  bool started;
  uint64_t at; /* version 2: entry of the metadata */
  uint32_t first_ir, ir_count;
  uint32_t first_native, native_count;
} syclbin_module;

/* Steps to the next abstract module, the first one when *module is zeros:
 *
 *   syclbin_module module = {0};
 *   while (syclbin_next_module(&file, &module)) ... */
bool syclbin_next_module(const syclbin_file *file, syclbin_module *module);

/* Steps through the names of the kernels of a module, in the order of the file,
 * starting when *name is zeros. They are the names of the entry points, such as
 * __sycl_kernel__ZTSN6linear4AxpyE. */
bool syclbin_next_kernel(const syclbin_module *module, syclbin_text *name);

/* Copies a text with a NUL after it, as much as fits in size bytes, and returns how
 * many bytes all of it needs, NUL included. */
size_t syclbin_copy(syclbin_text text, char *to, size_t size);

typedef enum syclbin_kind { SYCLBIN_IR, SYCLBIN_NATIVE } syclbin_kind;

/* Types of IR modules. DPC++ writes 0 whatever they are. */
enum { SYCLBIN_SPIRV = 0, SYCLBIN_PTX = 1, SYCLBIN_AMDGCN = 2 };

/* Bytes for an architecture or a triple, NUL included. Files with longer ones are
 * refused. */
#define SYCLBIN_NAME_SIZE 128

/* An IR module or a native device code image. */
typedef struct syclbin_image {
  syclbin_kind kind;
  uint32_t ir_type;               /* of an IR module */
  char arch[SYCLBIN_NAME_SIZE];   /* of a native image as the file has it, or "" */
  char triple[SYCLBIN_NAME_SIZE]; /* such as spir64-unknown-unknown, or "" */
  const unsigned char *data;      /* aligned to nothing: a word may start anywhere */
  size_t size;                    /* in bytes */
  syclbin_text metadata;

  /* private */
  bool started;
  uint64_t at; /* number of images before it, or its entry */
} syclbin_image;

/* Steps through the images of a module, starting when *image is zeros. IR modules
 * come first in version 1. */
bool syclbin_next_image(const syclbin_file *file, const syclbin_module *module,
                        syclbin_image *image);

/* What a module needs of a device, from its set "SYCL/device requirements". */
#define SYCLBIN_MAX_ASPECTS 256
#define SYCLBIN_MAX_SUB_GROUP_SIZES 16
typedef struct syclbin_requirements {
  /* Numbers of enum class aspect in the release of DPC++ that the file is for:
   * those above 24 differ between libsycl.so.8 and libsycl.so.9. */
  uint32_t aspects[SYCLBIN_MAX_ASPECTS];
  uint32_t aspect_count;
  uint32_t sub_group_sizes[SYCLBIN_MAX_SUB_GROUP_SIZES];
  uint32_t sub_group_size_count;
  /* In work-items, in the order of OpenCL and Level Zero, x first. */
  uint64_t work_group_size[3];
  uint32_t work_group_dims; /* how many of them there are, 0 when none is required */
  /* Target that the native images are compiled for, such as intel_gpu_pvc, or "". */
  char compile_target[SYCLBIN_NAME_SIZE];
} syclbin_requirements;

void syclbin_get_requirements(const syclbin_module *module, syclbin_requirements *requirements);

/* A property of metadata, for everything that has no function of its own. */
typedef struct syclbin_property {
  syclbin_text set; /* such as SYCL/exported symbols */
  syclbin_text key;
  bool is_bytes;   /* else a number */
  uint32_t number; /* 0 for bytes */
  uint64_t bits;   /* how many bits the bytes have */

  /* private */
  bool started;
  syclbin_text rest, encoded;
} syclbin_property;

/* Steps through the properties of metadata, in the order of the file, starting when
 * *property is zeros. Of a key that comes twice in a set the last one counts. */
bool syclbin_next_property(syclbin_text metadata, syclbin_property *property);

/* Copies the bytes of a property, as many as fit in size, and returns how many there
 * are: bits / 8, rounded up. */
size_t syclbin_bytes(const syclbin_property *property, void *to, size_t size);

/* A device. Zeros are a device that takes IR and of which nothing is known: then
 * whether it has what a kernel needs is not asked. */
typedef struct syclbin_device {
  const char *arch; /* target name such as intel_gpu_pvc; NULL or "" for IR only */

  /* Whether the device has an aspect; NULL to ask for none. */
  bool (*has_aspect)(void *context, uint32_t aspect);
  void *context;

  const uint32_t *sub_group_sizes; /* NULL when they are not known */
  size_t sub_group_size_count;
  uint64_t max_work_group_size;    /* work-items; 0 when it is not known */
  uint64_t max_work_item_sizes[3]; /* by dimension, x first; 0 when it is not known */
} syclbin_device;

typedef struct syclbin_choice {
  syclbin_module module;
  syclbin_image image;
  syclbin_text kernel; /* name of the entry point that the image has */
} syclbin_choice;

/* Finds the image to run a kernel on a device.
 *
 * The name is found with and without the prefix __sycl_kernel_, whichever of both
 * the file has. Modules that need what the device has not are left out. Of the
 * others, the first native image for the architecture of the device is taken,
 * which is compile_target of its module or else arch of the image; without one,
 * the first IR module of a module that has no compile_target and is SPIR-V by its
 * type. That is DPC++'s choice, but for native images of modules without
 * compile_target: DPC++ takes the first of these whatever they are for.
 *
 * Other names of an Intel GPU, such as intel_gpu_12_60_7 and pvc for intel_gpu_pvc,
 * are the same architecture. */
syclbin_status syclbin_find(const syclbin_file *file, const char *kernel,
                            const syclbin_device *device, syclbin_choice *choice,
                            syclbin_error *error);

/* Returns the target name of an Intel GPU by its IP version, which OpenCL gives for
 * CL_DEVICE_IP_VERSION_INTEL and Level Zero in ze_device_ip_version_ext_t, or NULL
 * when it is not known. The revision of the hardware, in the last 14 bits, makes
 * no difference. */
const char *syclbin_intel_gpu_name(uint32_t ip_version);

#ifdef __cplusplus
}
#endif

#endif
