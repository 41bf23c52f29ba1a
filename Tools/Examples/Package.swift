// swift-tools-version: 6.0

// Three programs that live on the library, as a package of its own: it sees nothing but the product.
// The gate builds them and runs their tests.
import PackageDescription

let walStore = Target.Dependency.product(name: "WALStore", package: "WALStore")

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "WALStore", path: "../..")],
    targets: [
        // A to-do list: swift run --package-path Tools/Examples todo
        .executableTarget(name: "todo", dependencies: [walStore]),
        // What the other two have in common.
        .target(name: "Messages", dependencies: [walStore]),
        // Saves what comes in on standard input, many at once, and says what is safe.
        .executableTarget(name: "daemon", dependencies: ["Messages", walStore]),
        // Follows the daemon's store and keeps a PostgreSQL database equal to it.
        .executableTarget(name: "mirror", dependencies: ["Messages", walStore]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: ["Messages", "daemon", "mirror", "todo", walStore]
        ),
    ],
    swiftLanguageModes: [.v6]
)
