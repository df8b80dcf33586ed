// A picture with 24 bits per pixel, and the file that it is written to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace apps {

// Writes rows of red, green and blue bytes as PNG (ISO/IEC 15948). The bytes are not
// compressed: each row is a filter byte, 0 for none, and its pixels, in stored blocks.
class PngWriter {
 public:
  PngWriter(std::uint32_t width, std::uint32_t height, const std::uint8_t *rgb) {
    const std::uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    file_.assign(signature, signature + 8);
    Bytes header;
    append32(header, width);
    append32(header, height);
    // 8 bits per channel, red green blue, the only compression and filter method, and no
    // interlacing.
    header.insert(header.end(), {8, 2, 0, 0, 0});
    chunk("IHDR", header);
    chunk("IDAT", zlib(rows(width, height, rgb)));
    chunk("IEND", {});
  }

  void write(const std::filesystem::path &path) const {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char *>(file_.data()), file_.size());
    if (!out.flush()) throw std::runtime_error(path.string() + ": cannot be written");
  }

 private:
  using Bytes = std::vector<std::uint8_t>;

  static void append32(Bytes &bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(number >> shift & 0xff);
  }

  static Bytes rows(std::uint32_t width, std::uint32_t height, const std::uint8_t *rgb) {
    const std::size_t length = std::size_t{3} * width;
    Bytes bytes;
    bytes.reserve(height * (length + 1));
    for (std::uint32_t y = 0; y < height; ++y) {
      bytes.push_back(0);
      bytes.insert(bytes.end(), rgb + y * length, rgb + (y + 1) * length);
    }
    return bytes;
  }

  // Returns a zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4) and its Adler-32.
  static Bytes zlib(const Bytes &data) {
    Bytes out = {0x78, 0x01};
    std::uint32_t a = 1, b = 0;
    for (std::size_t at = 0; at < data.size();) {
      const std::size_t size = std::min<std::size_t>(data.size() - at, 0xffff);
      const bool last = at + size == data.size();
      for (unsigned word : {unsigned(size), ~unsigned(size)}) {
        if (word == size) out.push_back(last);
        out.push_back(word & 0xff);
        out.push_back(word >> 8 & 0xff);
      }
      for (const std::size_t end = at + size; at < end; ++at) {
        out.push_back(data[at]);
        a = (a + data[at]) % 65521;
        b = (b + a) % 65521;
      }
    }
    append32(out, b << 16 | a);
    return out;
  }

  void chunk(const std::string &type, const Bytes &data) {
    append32(file_, data.size());
    const std::size_t start = file_.size();
    file_.insert(file_.end(), type.begin(), type.end());
    file_.insert(file_.end(), data.begin(), data.end());
    std::uint32_t crc = ~0u;
    for (std::size_t i = start; i < file_.size(); ++i) {
      crc ^= file_[i];
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    append32(file_, ~crc);
  }

  Bytes file_;
};

// Returns the path of a picture: the argument of --output, or else a file named name. Both are
// relative to the directory in which `bazel run` was started, or, in tests, to the scratch
// directory.
inline std::filesystem::path output_path(int argc, char **argv, const std::string &name) {
  std::filesystem::path path = name;
  if (argc == 3 && std::string(argv[1]) == "--output")
    path = argv[2];
  else if (argc != 1)
    throw std::runtime_error(std::string("usage: ") + argv[0] + " [--output FILE.png]");
  for (const char *variable : {"TEST_TMPDIR", "BUILD_WORKING_DIRECTORY"})
    if (const char *folder = std::getenv(variable)) return folder / path;
  return std::filesystem::absolute(path);
}

// Writes the picture and prints its path.
inline void write_picture(const std::filesystem::path &path, std::size_t width, std::size_t height,
                          const std::uint8_t *rgb) {
  PngWriter(width, height, rgb).write(path);
  std::printf("written: %s\n", path.c_str());
}

}  // namespace apps
