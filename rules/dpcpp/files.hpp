// files.hpp reads inputs and writes outputs as the other tools do: internal/cli and
// internal/outfile, which are in Go, and docs/project/architecture.md say how.

#ifndef RULES_SYCL_DPCPP_FILES_HPP
#define RULES_SYCL_DPCPP_FILES_HPP

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

// -- failures --

enum Exit : int { kDone, kDoesNotCompile, kUsage, kBadInput, kMachineFailed };

struct Failure {
  Exit code;
  std::string text;
};

[[noreturn]] inline void fail(Exit code, std::string text) { throw Failure{code, std::move(text)}; }

// shown returns a name without bytes that a terminal obeys.
inline std::string shown(const std::string &name) {
  std::string out;
  for (char c : name) {
    const unsigned byte = static_cast<unsigned char>(c);
    char hex[8];
    std::snprintf(hex, sizeof hex, "\\x%02x", byte);
    out += byte < ' ' || byte == 127 ? hex : std::string(1, c);
  }
  return out;
}

[[noreturn]] inline void fail_at(Exit code, const std::string &name, const std::string &why) {
  fail(code, shown(name) + ": error: " + why);
}

[[noreturn]] inline void fail_io(const std::string &name, int error = errno) {
  fail_at(kMachineFailed, name, std::strerror(error));
}

// -- inputs --

// check_regular fails when an open file, or one of that name, cannot be an input: a pipe or
// a device may have no end.
inline void check_regular(const std::string &name, const struct stat &info) {
  if (S_ISDIR(info.st_mode)) fail_at(kBadInput, name, "this is a folder, not a file");
  if (!S_ISREG(info.st_mode))
    fail_at(kBadInput, name,
            "this is a pipe or a device, not a file: write the content to a file, and give its "
            "name");
}

// kMostInput is how large an input may be.
constexpr off_t kMostInput = off_t{2} << 30;

inline std::string read_file(const std::string &name) {
  const int fd = open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENXIO)
    fail_at(kBadInput, name, "this is a socket or a device, not a file");
  if (fd < 0) fail_at(kBadInput, name, std::strerror(errno));
  FILE *f = fdopen(fd, "rb");
  struct stat info;
  if (!f || fstat(fd, &info) != 0) fail_io(name);
  check_regular(name, info);
  if (info.st_size > kMostInput)
    fail_at(kBadInput, name, "it is larger than 2 GiB, which an input may have");
  std::string text(info.st_size, '\0');
  const size_t n = std::fread(text.data(), 1, text.size(), f);
  if (std::ferror(f)) fail_io(name);
  std::fclose(f);
  text.resize(n);
  return text;
}

// -- outputs --

// write_file writes the output of that name at the place where it is while it is written.
inline void write_file(const std::string &place, const std::string &name, const void *data,
                       size_t size) {
  FILE *f = std::fopen(place.c_str(), "wb");
  if (!f) fail_io(name);
  bool ok = size == 0 || std::fwrite(data, 1, size, f) == size;
  if (std::fclose(f) != 0 || !ok) fail_io(name);
}

inline void write_file(const std::string &place, const std::string &name, const std::string &text) {
  write_file(place, name, text.data(), text.size());
}

// A Lock is an open file that no other program can lock.
class Lock {
 public:
  Lock(const std::string &name, int flags) : fd_(open(name.c_str(), flags | O_CLOEXEC, 0600)) {
    int result = -1;
    if (fd_ >= 0)
      while ((result = flock(fd_, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
      }
    locked_ = result == 0;
    none_ = fd_ >= 0 && result != 0 && errno != EWOULDBLOCK;
  }
  Lock(Lock &&o) : fd_(std::exchange(o.fd_, -1)), locked_(o.locked_), none_(o.none_) {}
  Lock(const Lock &) = delete;
  ~Lock() {
    if (fd_ >= 0) close(fd_);
  }

  bool locked() const { return locked_; }
  // none says that the file system has no locks.
  bool none() const { return none_; }
  // is_at reports whether the file is the one of that name now.
  bool is_at(const std::string &name) const {
    struct stat opened, there;
    return fstat(fd_, &opened) == 0 && stat(name.c_str(), &there) == 0 &&
           opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
  }

 private:
  int fd_;
  bool locked_, none_;
};

// A Scratch is a folder for files that are not done yet. It has a locked file: a folder
// whose file is not locked was left by a program that was killed, and is removed by the next
// one, of this program or of another tool (internal/outfile).
class Scratch {
 public:
  explicit Scratch(const std::string &parent) {
    sweep(parent);
    while (!make(parent)) remove(path_);
  }
  Scratch(const Scratch &) = delete;
  ~Scratch() { remove(path_); }

  // error is why there is no folder, 0 when there is one.
  int error() const { return error_; }

  // leave leaves the folder to the process that this one was forked from.
  void leave() { lock_.clear(); }

  // next names a file in the folder.
  std::string next() { return path_ + "/" + std::to_string(++files_); }

 private:
  static constexpr const char *kPrefix = ".rules_sycl-tmp-";
  static constexpr const char *kLock = "/lock";

  // remove removes a folder, which another program may do as well.
  static void remove(const std::string &path) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  // make fails when another program takes the folder for one that was left.
  bool make(const std::string &parent) {
    path_ = parent + "/" + kPrefix + "XXXXXX";
    if (!mkdtemp(path_.data())) {
      error_ = errno;
      path_.clear();
      return true;
    }
    lock_.clear();
    lock_.emplace_back(path_ + kLock, O_RDWR | O_CREAT | O_EXCL);
    return lock_[0].none() || (lock_[0].locked() && lock_[0].is_at(path_ + kLock));
  }

  static void sweep(const std::string &parent) {
    std::error_code ignored;
    for (const auto &e : std::filesystem::directory_iterator(parent, ignored)) {
      const std::string path = e.path();
      if (e.path().filename().string().rfind(kPrefix, 0) != 0 || e.is_symlink(ignored)) continue;
      Lock lock(path + kLock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
      if (lock.locked()) remove(path);
    }
  }

  std::string path_;
  std::vector<Lock> lock_;
  int files_ = 0;
  int error_ = 0;
};

// Outputs are files that get their places together. The main one is there only when all
// others are there and of the same run, also when the program is killed.
class Outputs {
 public:
  // file returns where to write an output. The one that is named last is the main one.
  std::string file(const std::string &name) {
    Output o = find(name);
    if (!o.stream && !scratch_in(parent(o.place)).error())
      o.scratch = scratch_in(parent(o.place)).next();
    else
      copied(o);
    outputs_.push_back(o);
    return o.scratch;
  }

  // folder returns a folder for files that go to the folder of that name, with the one
  // named in main last. What the folder has already stays.
  std::string folder(const std::string &name, const std::string &main) {
    struct stat info;
    const bool there = stat(name.c_str(), &info) == 0;
    if (there && !S_ISDIR(info.st_mode)) fail_io(name, ENOTDIR);
    folder_ = there ? std::string(std::filesystem::canonical(name)) : name;
    std::string beside = parent(folder_);
    struct stat around;
    const bool same_disk =
        there && stat(beside.c_str(), &around) == 0 && around.st_dev == info.st_dev;
    if (there && (!same_disk || scratch_in(beside).error())) beside = folder_;
    if (scratch_in(beside).error()) cannot(name, beside, scratch_in(beside).error());
    folder_scratch_ = scratch_in(beside).next();
    folder_main_ = main;
    if (mkdir(folder_scratch_.c_str(), 0777) != 0) fail_io(name);
    return folder_scratch_;
  }

  // leave leaves the scratch folders to the process that this one was forked from.
  void leave() {
    for (auto &[dir, scratch] : scratch_) scratch.leave();
  }

  // commit puts all outputs in their places.
  void commit() {
    if (!folder_.empty() && mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST) fail_io(folder_);
    if (!folder_.empty())
      for (const auto &e : std::filesystem::directory_iterator(folder_scratch_))
        add_from_folder(e.path().filename());
    if (outputs_.size() > 1) clear(outputs_.back());
    for (const Output &o : outputs_) put(o);
  }

 private:
  struct Output {
    std::string name, place, scratch;
    struct stat old = {};
    bool there = false;   // what old is of
    bool stream = false;  // it is written to and not replaced
    bool append = false;  // what the process has written stays
  };

  static std::string parent(const std::string &place) {
    const std::string dir = std::filesystem::path(place).parent_path();
    return dir.empty() ? "." : dir;
  }

  // find follows the links of a name.
  static Output find(const std::string &name) {
    Output o;
    o.name = o.place = name;
    for (int links = 0; links < 40; links++) {
      if (lstat(o.place.c_str(), &o.old) != 0) {
        if (errno != ENOENT) fail_io(name);
        return o;
      }
      if (S_ISDIR(o.old.st_mode)) fail_at(kMachineFailed, name, "there is a folder of this name");
      o.there = true;
      o.append = S_ISLNK(o.old.st_mode) && is_descriptor(o.place);
      o.stream = o.append || !S_ISREG(o.old.st_mode);
      if (o.append || !S_ISLNK(o.old.st_mode)) return o;
      const std::filesystem::path to = std::filesystem::read_symlink(o.place);
      o.place = to.is_absolute() ? to : std::filesystem::path(o.place).parent_path() / to;
      o.there = o.stream = false;
    }
    fail_io(name, ELOOP);
  }

  // is_descriptor reports whether a link is the name of an open file of a process.
  static bool is_descriptor(const std::string &place) {
    return place.rfind("/proc/", 0) == 0 || place.rfind("/dev/fd/", 0) == 0 ||
           place == "/dev/stdout" || place == "/dev/stderr";
  }

  Scratch &scratch_in(const std::string &dir) {
    return scratch_.try_emplace(dir, dir).first->second;
  }

  // copied has an output written elsewhere and copied to its place: a stream, or a file in a
  // folder that takes no others.
  void copied(Output &o) {
    if (!o.there) cannot(o.name, parent(o.place), scratch_in(parent(o.place)).error());
    o.stream = true;
    Scratch &elsewhere = scratch_in(std::filesystem::temp_directory_path());
    if (elsewhere.error()) fail_io(std::filesystem::temp_directory_path(), elsewhere.error());
    o.scratch = elsewhere.next();
  }

  [[noreturn]] static void cannot(const std::string &name, const std::string &dir, int error) {
    if (error == ENOENT) fail_at(kMachineFailed, name, "there is no folder " + shown(dir));
    fail_io(name, error);
  }

  void add_from_folder(const std::string &base) {
    Output o = find(folder_ + "/" + base);
    o.scratch = folder_scratch_ + "/" + base;
    outputs_.insert(base == folder_main_ ? outputs_.end() : outputs_.begin(), o);
  }

  static void clear(const Output &o) {
    if (!o.stream && unlink(o.place.c_str()) != 0 && errno != ENOENT) fail_io(o.name);
  }

  static void put(const Output &o) {
    if (o.stream) return copy(o);
    if (o.there) {
      // The owner stays as far as the system permits.
      if (chown(o.scratch.c_str(), o.old.st_uid, o.old.st_gid) != 0) errno = 0;
      if (chmod(o.scratch.c_str(), o.old.st_mode & 0777) != 0) fail_io(o.name);
    }
    if (std::rename(o.scratch.c_str(), o.place.c_str()) == 0) return;
    if (errno != EBUSY && errno != EXDEV) fail_io(o.name);
    copy(o);  // a file is mounted there
  }

  static void copy(const Output &o) {
    int flags = O_WRONLY | O_CLOEXEC;
    if (o.append)
      flags |= O_APPEND;
    else if (S_ISREG(o.old.st_mode))
      flags |= O_TRUNC;
    const std::string text = read_file(o.scratch);
    const int fd = open(o.place.c_str(), flags);
    if (fd < 0) fail_io(o.name);
    for (size_t at = 0; at < text.size();) {
      const ssize_t n = write(fd, text.data() + at, text.size() - at);
      if (n < 0 && errno != EINTR) fail_io(o.name);
      at += std::max<ssize_t>(n, 0);
    }
    if (close(fd) != 0) fail_io(o.name);
  }

  std::vector<Output> outputs_;
  std::map<std::string, Scratch> scratch_;  // by their folders
  std::string folder_, folder_scratch_, folder_main_;
};

#endif  // RULES_SYCL_DPCPP_FILES_HPP
