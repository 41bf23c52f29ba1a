// swift-tools-version: 6.0

// How a user of the library tests a store of their own item type: a package that has nothing but the
// products. The gate builds and runs it.
import PackageDescription

let package = Package(
    name: "Notebook",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [.package(name: "WALStore", path: "../..")],
    targets: [
        .target(name: "Notebook", dependencies: [.product(name: "WALStore", package: "WALStore")]),
        // What a view shows, without a view: swift run --package-path Tests/UserPackage notebook-window
        .executableTarget(
            name: "notebook-window",
            dependencies: ["Notebook", .product(name: "WALStore", package: "WALStore")],
            path: "Sources/NotebookWindow"
        ),
        .testTarget(
            name: "NotebookTests",
            dependencies: [
                "Notebook", .product(name: "WALStore", package: "WALStore"),
                .product(name: "WALStoreTesting", package: "WALStore"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
