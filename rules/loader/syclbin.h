/* Finds the device images in a SYCLBIN file for programs that use OpenCL or
 * Level Zero without a SYCL runtime.
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
 * Supported files are SYCLBIN version 1, bare or in an OffloadBinary container of
 * version 1 or 2, and SYCLBIN version 2. Files may be untrusted: every offset,
 * count and size is checked. syclbin_open rejects a file if any part of it is
 * invalid, so that no other function fails later because of the file.
 *
 * The library allocates no memory, and copies only short texts. Everything that it
 * returns points into the caller's bytes, which must not change. Functions do not
 * modify an opened file. Several threads can use it at the same time.
 *
 * docs/build/load-from-c.md has complete examples and shows how to query drivers. */
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
  SYCLBIN_BAD_FILE,      /* Invalid, or not a SYCLBIN file. */
  SYCLBIN_OTHER_FORM,    /* Valid as far as it was read, but of an unsupported form. */
  SYCLBIN_NO_KERNEL,     /* No abstract module has a kernel with that name. */
  SYCLBIN_NO_IMAGE,      /* The kernel has no image for the device. */
  SYCLBIN_NOT_SUPPORTED, /* There is an image, but the device lacks a requirement. */
} syclbin_status;

typedef struct syclbin_error {
  syclbin_status status;
  uint64_t offset;   /* in the caller's bytes; 0 if the error has no location */
  char message[256]; /* one line of printable ASCII */
} syclbin_error;

/* A text in the file. It is not NUL-terminated, and contains no NUL. */
typedef struct syclbin_text {
  const char *data;
  size_t size;
} syclbin_text;

/* Bundle states. */
enum { SYCLBIN_INPUT = 0, SYCLBIN_OBJECT = 1, SYCLBIN_EXECUTABLE = 2 };

/* An opened file. Members after "private" are only for syclbin.c, here and below. */
typedef struct syclbin_file {
  uint32_t version;   /* of SYCLBIN: 1 or 2 */
  uint32_t container; /* version of the OffloadBinary container, 0 if there is none */
  uint32_t state;     /* SYCLBIN_INPUT and so on, UINT32_MAX if the file has none */
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

/* Reads and checks a file in memory. The time depends on the size of the headers
 * and of the metadata; images are not read. The error may be NULL, here and below.
 * After a failure, the file must not be used. */
syclbin_status syclbin_open(const void *data, size_t size, syclbin_file *file,
                            syclbin_error *error);

/* An abstract module: images of the same kernels. */
typedef struct syclbin_module {
  uint32_t index;        /* from 0 */
  syclbin_text metadata; /* text of property sets, as in the file */

  /* private */
  bool started;
  uint64_t at; /* version 2: entry of the metadata */
  uint32_t first_ir, ir_count;
  uint32_t first_native, native_count;
} syclbin_module;

/* Advances to the next abstract module, or to the first one if *module is zero:
 *
 *   syclbin_module module = {0};
 *   while (syclbin_next_module(&file, &module)) ... */
bool syclbin_next_module(const syclbin_file *file, syclbin_module *module);

/* Advances to the next kernel name of a module, in the order of the file, or to the
 * first one if *name is zero. Names are the names of the entry points, such as
 * __sycl_kernel__ZTSN6linear4AxpyE. */
bool syclbin_next_kernel(const syclbin_module *module, syclbin_text *name);

/* Copies a text and a NUL, as much as fits in size bytes, and returns the number of
 * bytes that the text needs, including the NUL. */
size_t syclbin_copy(syclbin_text text, char *to, size_t size);

typedef enum syclbin_kind { SYCLBIN_IR, SYCLBIN_NATIVE } syclbin_kind;

/* Types of IR modules. DPC++ always writes 0. */
enum { SYCLBIN_SPIRV = 0, SYCLBIN_PTX = 1, SYCLBIN_AMDGCN = 2 };

/* The largest size of an architecture or a triple, including NUL. Files with longer
 * ones are rejected. */
#define SYCLBIN_NAME_SIZE 128

/* An IR module or a native device code image. */
typedef struct syclbin_image {
  syclbin_kind kind;
  uint32_t ir_type;               /* of an IR module */
  char arch[SYCLBIN_NAME_SIZE];   /* of a native image as the file has it, or "" */
  char triple[SYCLBIN_NAME_SIZE]; /* such as spir64-unknown-unknown, or "" */
  const unsigned char *data;      /* not aligned */
  size_t size;                    /* in bytes */
  syclbin_text metadata;

  /* private */
  bool started;
  uint64_t at; /* number of images before it, or its entry */
} syclbin_image;

/* Advances to the next image of a module, or to the first one if *image is zero. IR
 * modules come first in version 1. */
bool syclbin_next_image(const syclbin_file *file, const syclbin_module *module,
                        syclbin_image *image);

/* What a module requires of a device, from its set "SYCL/device requirements". */
#define SYCLBIN_MAX_ASPECTS 256
#define SYCLBIN_MAX_SUB_GROUP_SIZES 16
typedef struct syclbin_requirements {
  /* Numbers of enum class aspect in the release of DPC++ that the file is for.
   * Numbers above 24 differ between libsycl.so.8 and libsycl.so.9. */
  uint32_t aspects[SYCLBIN_MAX_ASPECTS];
  uint32_t aspect_count;
  uint32_t sub_group_sizes[SYCLBIN_MAX_SUB_GROUP_SIZES];
  uint32_t sub_group_size_count;
  /* In work-items, in the order of OpenCL and Level Zero, x first. */
  uint64_t work_group_size[3];
  uint32_t work_group_dims; /* the number of dimensions, 0 if no size is required */
  /* Target that the native images are compiled for, such as intel_gpu_pvc, or "". */
  char compile_target[SYCLBIN_NAME_SIZE];
} syclbin_requirements;

void syclbin_get_requirements(const syclbin_module *module, syclbin_requirements *requirements);

/* A property in metadata, for data without a dedicated function. */
typedef struct syclbin_property {
  syclbin_text set; /* such as SYCL/exported symbols */
  syclbin_text key;
  bool is_bytes;   /* else a number */
  uint32_t number; /* 0 for bytes */
  uint64_t bits;   /* the number of bits in the bytes */

  /* private */
  bool started;
  syclbin_text rest, encoded;
} syclbin_property;

/* Advances to the next property in metadata, in the order of the file, or to the first
 * one if *property is zero. If a set has a duplicate key, the last one counts. */
bool syclbin_next_property(syclbin_text metadata, syclbin_property *property);

/* Copies the bytes of a property, as many as fit in size, and returns their number:
 * bits / 8, rounded up. */
size_t syclbin_bytes(const syclbin_property *property, void *to, size_t size);

/* A device. If a member is zero, it is unknown, and requirements of kernels are not
 * compared with it. */
typedef struct syclbin_device {
  const char *arch; /* target name such as intel_gpu_pvc; NULL or "" for IR only */

  /* Reports whether the device has an aspect; NULL to compare no aspects. */
  bool (*has_aspect)(void *context, uint32_t aspect);
  void *context;

  const uint32_t *sub_group_sizes; /* NULL if they are not known */
  size_t sub_group_size_count;
  uint64_t max_work_group_size;    /* work-items; 0 if it is not known */
  uint64_t max_work_item_sizes[3]; /* by dimension, x first; 0 if it is not known */
} syclbin_device;

typedef struct syclbin_choice {
  syclbin_module module;
  syclbin_image image;
  syclbin_text kernel; /* name of the entry point in the image */
} syclbin_choice;

/* Finds the image with which to run a kernel on a device.
 *
 * The name matches with and without the prefix __sycl_kernel_. Modules with a
 * requirement that the device does not meet are skipped. Among the others, the first
 * native image for the device's architecture is chosen: the architecture is
 * compile_target of the module, or else arch of the image. If there is none, the
 * first IR module is chosen that is SPIR-V by its type, in a module without
 * compile_target. DPC++ makes the same choice, except that it uses the first native
 * image of a module without compile_target for any device.
 *
 * Other names of an Intel GPU, such as intel_gpu_12_60_7 and pvc for intel_gpu_pvc,
 * are the same architecture. */
syclbin_status syclbin_find(const syclbin_file *file, const char *kernel,
                            const syclbin_device *device, syclbin_choice *choice,
                            syclbin_error *error);

/* Returns the target name of an Intel GPU by its IP version, or NULL if it is not
 * known. OpenCL returns the IP version for CL_DEVICE_IP_VERSION_INTEL, and Level Zero
 * in ze_device_ip_version_ext_t. The hardware revision, in the last 14 bits, is
 * ignored. */
const char *syclbin_intel_gpu_name(uint32_t ip_version);

#ifdef __cplusplus
}
#endif

#endif
