#if os(Linux)
    import Foundation
    import LogStorage
    import TestSupport

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A real file system in a file, whose power can be cut.
    package final class LoopDisk {
        package enum Kind: String, CaseIterable, Sendable {
            case ext4
            case xfs

            /// Room for a campaign; mkfs.xfs makes nothing smaller. The file has holes where nothing was written.
            var size: UInt64 { self == .ext4 ? 128 << 20 : 320 << 20 }
        }

        private let kind: Kind
        private let device: String
        package let mountPoint: String
        private var isMounted = false

        /// Makes the file system and mounts it.
        ///
        /// - Parameters:
        ///   - directory: holds the image and the mount point; it must outlive the disk.
        ///   - backing: where the image is, if it is not in `directory`.
        /// - Throws: `Unavailable` when this machine cannot do it.
        package init(_ kind: Kind, in directory: String, backing: String? = nil) async throws {
            self.kind = kind
            let image = "\(backing ?? directory)/\(kind.rawValue).img"
            mountPoint = "\(directory)/\(kind.rawValue)"
            let file = try POSIXFileSystem().create(image, mode: .privateFile)
            try file.truncate(to: kind.size)
            try await Self.make(kind, on: image, says: "\(directory)/mkfs")
            _ = try POSIXFileSystem().createDirectory(mountPoint, mode: .privateDirectory)
            device = try Self.attach(image)
            do {
                try mount()
            } catch {
                Self.detach(device)
                throw Unavailable("\(kind.rawValue) cannot be mounted: \(error)")
            }
        }

        deinit {
            if isMounted, umount2(mountPoint, Int32(MNT_DETACH)) != 0 {
                print("\(mountPoint) stays mounted: \(String(cString: strerror(errno)))")
            }
            Self.detach(device)
        }

        package func mount(readOnly: Bool = false) throws {
            let flags = readOnly ? UInt(MS_RDONLY) : 0
            guard systemMount(device, mountPoint, kind.rawValue, flags, nil) == 0 else {
                throw StorageError(.open, device, errno: errno)
            }
            isMounted = true
        }

        /// Unmounts; waits a little for who still has a file open.
        package func unmount() async throws {
            for _ in 0..<500 {
                if umount2(mountPoint, 0) == 0 {
                    isMounted = false
                    return
                }
                guard errno == EBUSY else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw StorageError(.remove, mountPoint, errno: errno)
        }

        /// Stops the file system as a power cut does: nothing more reaches the device, not even what its
        /// journal has ready. Who has files open gets errors from here on.
        package func cutPower() throws {
            let descriptor = open(mountPoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw StorageError(.open, mountPoint, errno: errno) }
            defer { close(descriptor) }
            // FS_IOC_SHUTDOWN, which is XFS_IOC_GOINGDOWN too, without flushing the log.
            var flags: UInt32 = 2
            guard ioctl(descriptor, 0x8004_587D, &flags) == 0 else {
                throw Unavailable("\(kind.rawValue) cannot be shut down: \(String(cString: strerror(errno)))")
            }
        }

        /// Lets ext4 find an error of its own, at which it allows no more writing.
        package func abort() throws {
            guard systemMount(nil, mountPoint, nil, UInt(MS_REMOUNT), "abort") == 0 else {
                throw Unavailable("the file system cannot be aborted: \(String(cString: strerror(errno)))")
            }
        }

        // MARK: The device

        private static func make(_ kind: Kind, on image: String, says output: String) async throws {
            let name = "mkfs.\(kind.rawValue)"
            let paths = [ChildProcess.find(name), "/usr/sbin/\(name)", "/sbin/\(name)"].compactMap { $0 }
            guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
                throw Unavailable("\(name) is missing")
            }
            let child = try ChildProcess(path, ["-q", kind == .ext4 ? "-F" : "-f", image], output: output)
            guard await child.wait() == 0 else { throw Unavailable("\(name) said: \(try fileText(output))") }
        }

        /// Gives the file a loop device of its own.
        private static func attach(_ image: String) throws -> String {
            let (loopGetFree, loopSetFile) = (UInt(0x4C82), UInt(0x4C00))
            let file = open(image, O_RDWR | O_CLOEXEC)
            guard file >= 0 else { throw StorageError(.open, image, errno: errno) }
            defer { close(file) }
            // Another process may take the number first.
            for _ in 0..<20 {
                let control = open("/dev/loop-control", O_RDWR | O_CLOEXEC)
                guard control >= 0 else { throw missing("/dev/loop-control") }
                defer { close(control) }
                let number = ioctl(control, loopGetFree, 0)
                guard number >= 0 else { throw missing("a free loop device") }
                let path = "/dev/loop\(number)"
                let device = open(path, O_RDWR | O_CLOEXEC)
                guard device >= 0 else { throw missing(path) }
                defer { close(device) }
                if ioctl(device, loopSetFile, file) == 0 { return path }
                guard errno == EBUSY else { throw missing(path) }
            }
            throw Unavailable("no loop device stays free")
        }

        private static func missing(_ what: String) -> Unavailable {
            Unavailable("\(what): \(String(cString: strerror(errno)))")
        }

        private static func detach(_ path: String) {
            let loopClearFile = UInt(0x4C01)
            let device = open(path, O_RDWR | O_CLOEXEC)
            defer { if device >= 0 { close(device) } }
            guard device >= 0, ioctl(device, loopClearFile, 0) == 0 else {
                print("\(path) stays attached: \(String(cString: strerror(errno)))")
                return
            }
        }
    }

    private func systemMount(
        _ source: String?,
        _ target: String,
        _ kind: String?,
        _ flags: UInt,
        _ options: String?
    ) -> Int32 {
        mount(source, target, kind, flags, options)
    }
#endif
