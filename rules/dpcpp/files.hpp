// files.hpp reads inputs and writes outputs in the same way as the Go packages internal/cli and
// internal/outfile. docs/project/architecture.md describes the conventions.

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

// shown returns a name with control characters escaped.
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

// check_regular fails if a file cannot be an input: a pipe or a device may have no end.
inline void check_regular(const std::string &name, const struct stat &info) {
  if (S_ISDIR(info.st_mode)) fail_at(kBadInput, name, "is a directory; expected a file");
  if (!S_ISREG(info.st_mode))
    fail_at(kBadInput, name,
            "is a pipe or a device, not a regular file; write the content to a file");
}

// kMaxInputSize is the largest size of an input.
constexpr off_t kMaxInputSize = off_t{2} << 30;

inline std::string read_file(const std::string &name) {
  const int fd = open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENXIO)
    fail_at(kBadInput, name, "is a socket or a device, not a regular file");
  if (fd < 0) fail_at(kBadInput, name, std::strerror(errno));
  FILE *f = fdopen(fd, "rb");
  struct stat info;
  if (!f || fstat(fd, &info) != 0) fail_io(name);
  check_regular(name, info);
  if (info.st_size > kMaxInputSize) fail_at(kBadInput, name, "file too large (limit 2 GiB)");
  std::string text(info.st_size, '\0');
  const size_t n = std::fread(text.data(), 1, text.size(), f);
  if (std::ferror(f)) fail_io(name);
  std::fclose(f);
  text.resize(n);
  return text;
}

// -- outputs --

// write_file writes an output to its temporary path. The name is for errors.
inline void write_file(const std::string &temporary, const std::string &name, const void *data,
                       size_t size) {
  FILE *f = std::fopen(temporary.c_str(), "wb");
  if (!f) fail_io(name);
  bool ok = size == 0 || std::fwrite(data, 1, size, f) == size;
  if (std::fclose(f) != 0 || !ok) fail_io(name);
}

inline void write_file(const std::string &temporary, const std::string &name,
                       const std::string &text) {
  write_file(temporary, name, text.data(), text.size());
}

// A Lock is an open file with an exclusive lock.
class Lock {
 public:
  Lock(const std::string &name, int flags) : fd_(open(name.c_str(), flags | O_CLOEXEC, 0600)) {
    int result = -1;
    if (fd_ >= 0)
      while ((result = flock(fd_, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
      }
    locked_ = result == 0;
    unsupported_ = fd_ >= 0 && result != 0 && errno != EWOULDBLOCK;
  }
  Lock(Lock &&o)
      : fd_(std::exchange(o.fd_, -1)), locked_(o.locked_), unsupported_(o.unsupported_) {}
  Lock(const Lock &) = delete;
  ~Lock() {
    if (fd_ >= 0) close(fd_);
  }

  bool locked() const { return locked_; }
  // unsupported reports whether the file system does not support locks.
  bool unsupported() const { return unsupported_; }
  // is_at reports whether the file is still at that path.
  bool is_at(const std::string &name) const {
    struct stat opened, there;
    return fstat(fd_, &opened) == 0 && stat(name.c_str(), &there) == 0 &&
           opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
  }

 private:
  int fd_;
  bool locked_, unsupported_;
};

// A Scratch is a directory for incomplete files. It contains a locked file. If the file is not
// locked, the directory was left by a killed program. The next run of this program or of another
// tool (internal/outfile) removes it.
class Scratch {
 public:
  explicit Scratch(const std::string &parent) {
    sweep(parent);
    while (!make(parent)) remove(path_);
  }
  Scratch(const Scratch &) = delete;
  ~Scratch() { remove(path_); }

  // error is the error number if the directory could not be created, or 0.
  int error() const { return error_; }

  // path is the path of the directory, or "" if it could not be created.
  const std::string &path() const { return path_; }

  // leave makes the parent process the only owner of the directory, after a fork.
  void leave() { lock_.clear(); }

  // next returns the path of a new file in the directory.
  std::string next() { return path_ + "/" + std::to_string(++files_); }

 private:
  static constexpr const char *kPrefix = ".rules_sycl-tmp-";
  static constexpr const char *kLock = "/lock";

  // remove removes a directory, which another program may be removing, too.
  static void remove(const std::string &path) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  // make returns false if a different program removed the directory as abandoned.
  bool make(const std::string &parent) {
    path_ = parent + "/" + kPrefix + "XXXXXX";
    if (!mkdtemp(path_.data())) {
      error_ = errno;
      path_.clear();
      return true;
    }
    lock_.clear();
    lock_.emplace_back(path_ + kLock, O_RDWR | O_CREAT | O_EXCL);
    return lock_[0].unsupported() || (lock_[0].locked() && lock_[0].is_at(path_ + kLock));
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

// Outputs are files that are moved to their final paths together. The main output exists only if
// all others exist and are from the same run, even if the program is killed.
class Outputs {
 public:
  // file returns the temporary path of an output. The last output is the main output.
  std::string file(const std::string &name) {
    Output o = find(name);
    if (!o.stream && !scratch_in(parent(o.path)).error())
      o.scratch = scratch_in(parent(o.path)).next();
    else
      copy_later(o);
    outputs_.push_back(o);
    return o.scratch;
  }

  // directory returns a temporary directory for files that are moved to the directory of that name,
  // with the file main last. Other files in the directory are kept.
  std::string directory(const std::string &name, const std::string &main) {
    struct stat info;
    const bool there = stat(name.c_str(), &info) == 0;
    if (there && !S_ISDIR(info.st_mode)) fail_io(name, ENOTDIR);
    directory_ = there ? std::string(std::filesystem::canonical(name)) : name;
    std::string beside = parent(directory_);
    struct stat around;
    const bool same_disk =
        there && stat(beside.c_str(), &around) == 0 && around.st_dev == info.st_dev;
    if (there && (!same_disk || scratch_in(beside).error())) beside = directory_;
    if (scratch_in(beside).error()) cannot(name, beside, scratch_in(beside).error());
    directory_scratch_ = scratch_in(beside).next();
    directory_main_ = main;
    if (mkdir(directory_scratch_.c_str(), 0777) != 0) fail_io(name);
    return directory_scratch_;
  }

  // temporary returns a scratch directory, for the temporary files of other code, or "" if there is
  // none.
  std::string temporary() const {
    for (const auto &[dir, scratch] : scratch_)
      if (!scratch.error()) return scratch.path();
    return "";
  }

  // leave makes the parent process the only owner of the scratch directories, after a fork.
  void leave() {
    for (auto &[dir, scratch] : scratch_) scratch.leave();
  }

  // commit moves all outputs to their final paths.
  void commit() {
    if (!directory_.empty() && mkdir(directory_.c_str(), 0777) != 0 && errno != EEXIST)
      fail_io(directory_);
    if (!directory_.empty())
      for (const auto &e : std::filesystem::directory_iterator(directory_scratch_))
        add_from_directory(e.path().filename());
    if (outputs_.size() > 1) clear(outputs_.back());
    for (const Output &o : outputs_) put(o);
  }

 private:
  struct Output {
    std::string name, path, scratch;
    struct stat old = {};
    bool there = false;   // the file exists, and old is set
    bool stream = false;  // written to instead of replaced
    bool append = false;  // existing content is kept
  };

  static std::string parent(const std::string &path) {
    const std::string dir = std::filesystem::path(path).parent_path();
    return dir.empty() ? "." : dir;
  }

  // find follows symbolic links.
  static Output find(const std::string &name) {
    Output o;
    o.name = o.path = name;
    for (int links = 0; links < 40; links++) {
      if (lstat(o.path.c_str(), &o.old) != 0) {
        if (errno != ENOENT) fail_io(name);
        return o;
      }
      if (S_ISDIR(o.old.st_mode)) fail_at(kMachineFailed, name, "is a directory");
      o.there = true;
      o.append = S_ISLNK(o.old.st_mode) && is_descriptor(o.path);
      o.stream = o.append || !S_ISREG(o.old.st_mode);
      if (o.append || !S_ISLNK(o.old.st_mode)) return o;
      const std::filesystem::path to = std::filesystem::read_symlink(o.path);
      o.path = to.is_absolute() ? to : std::filesystem::path(o.path).parent_path() / to;
      o.there = o.stream = false;
    }
    fail_io(name, ELOOP);
  }

  // is_descriptor reports whether a link is the name of an open file of a process.
  static bool is_descriptor(const std::string &path) {
    return path.rfind("/proc/", 0) == 0 || path.rfind("/dev/fd/", 0) == 0 ||
           path == "/dev/stdout" || path == "/dev/stderr";
  }

  Scratch &scratch_in(const std::string &dir) {
    return scratch_.try_emplace(dir, dir).first->second;
  }

  // copy_later chooses a temporary path in a different directory, from which an output is copied.
  // It is for streams, and for files in directories in which no files can be created.
  void copy_later(Output &o) {
    if (!o.there) cannot(o.name, parent(o.path), scratch_in(parent(o.path)).error());
    o.stream = true;
    Scratch &elsewhere = scratch_in(std::filesystem::temp_directory_path());
    if (elsewhere.error()) fail_io(std::filesystem::temp_directory_path(), elsewhere.error());
    o.scratch = elsewhere.next();
  }

  [[noreturn]] static void cannot(const std::string &name, const std::string &dir, int error) {
    if (error == ENOENT)
      fail_at(kMachineFailed, name, "directory " + shown(dir) + " does not exist");
    fail_io(name, error);
  }

  void add_from_directory(const std::string &base) {
    Output o = find(directory_ + "/" + base);
    o.scratch = directory_scratch_ + "/" + base;
    outputs_.insert(base == directory_main_ ? outputs_.end() : outputs_.begin(), o);
  }

  static void clear(const Output &o) {
    if (!o.stream && unlink(o.path.c_str()) != 0 && errno != ENOENT) fail_io(o.name);
  }

  static void put(const Output &o) {
    if (o.stream) return copy(o);
    if (o.there) {
      // Keep the owner if the system allows it.
      if (chown(o.scratch.c_str(), o.old.st_uid, o.old.st_gid) != 0) errno = 0;
      if (chmod(o.scratch.c_str(), o.old.st_mode & 0777) != 0) fail_io(o.name);
    }
    if (std::rename(o.scratch.c_str(), o.path.c_str()) == 0) return;
    if (errno != EBUSY && errno != EXDEV) fail_io(o.name);
    copy(o);  // the path is a mount point
  }

  static void copy(const Output &o) {
    int flags = O_WRONLY | O_CLOEXEC;
    if (o.append)
      flags |= O_APPEND;
    else if (S_ISREG(o.old.st_mode))
      flags |= O_TRUNC;
    const std::string text = read_file(o.scratch);
    const int fd = open(o.path.c_str(), flags);
    if (fd < 0) fail_io(o.name);
    for (size_t at = 0; at < text.size();) {
      const ssize_t n = write(fd, text.data() + at, text.size() - at);
      if (n < 0 && errno != EINTR) fail_io(o.name);
      at += std::max<ssize_t>(n, 0);
    }
    if (close(fd) != 0) fail_io(o.name);
  }

  std::vector<Output> outputs_;
  std::map<std::string, Scratch> scratch_;  // by directory
  std::string directory_, directory_scratch_, directory_main_;
};

#endif  // RULES_SYCL_DPCPP_FILES_HPP
