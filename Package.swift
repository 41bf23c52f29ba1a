// swift-tools-version: 6.0

import PackageDescription

let package = Package(
    name: "WALStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "WALStore", targets: ["WALStore"]),
        .library(name: "WALStoreTesting", targets: ["WALStoreTesting"]),
        .executable(name: "walstore", targets: ["walstore"]),
    ],
    targets: [
        // The library, lowest layer first. A folder is a module: what a layer may not import, it cannot use.
        .target(name: "LogFormat"),
        .target(name: "LogStorage"),
        .target(name: "LogEngine", dependencies: ["LogFormat", "LogStorage"]),
        .target(name: "WALStore", dependencies: ["LogFormat", "LogStorage", "LogEngine"]),

        // The inspection tool. Its engine reads the files by itself and does not lean on LogEngine.
        .target(name: "LogInspection", dependencies: ["LogFormat", "LogStorage"]),
        // The tool's commands that write: the engine does the work, the inspection reads it back.
        .target(
            name: "LogMaintenance",
            dependencies: ["LogEngine", "LogFormat", "LogStorage", "LogInspection"]
        ),
        .executableTarget(
            name: "walstore",
            dependencies: ["LogInspection", "LogMaintenance", "LogStorage", "WALStore"],
            path: "Tools/walstore"
        ),

        // A disk in memory that loses power, fails and lies, and what users of the library test with.
        .target(name: "SimulatedStorage", dependencies: ["LogStorage"]),
        .target(name: "WALStoreTesting", dependencies: ["LogStorage", "SimulatedStorage", "WALStore"]),

        // The crash laboratory: long campaigns, and writing processes for the tests to kill.
        .executableTarget(
            name: "crashlab",
            dependencies: ["CrashCampaigns", "ProcessCampaigns", "TestSupport", "WALStore"],
            path: "Tools/crashlab"
        ),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: ["LogFormat", "LogStorage", "SimulatedStorage"],
            path: "Tests/TestSupport"
        ),
        .target(
            name: "CrashCampaigns",
            dependencies: [
                "WALStore", "LogEngine", "LogFormat", "LogInspection", "LogStorage", "TestSupport",
            ],
            path: "Tests/CrashCampaigns"
        ),
        .target(
            name: "ProcessCampaigns",
            dependencies: ["LogStorage", "TestSupport", "WALStore"],
            path: "Tests/ProcessCampaigns"
        ),
        .testTarget(name: "LogFormatTests", dependencies: ["LogFormat", "TestSupport"]),
        .testTarget(name: "LogStorageTests", dependencies: ["LogStorage", "TestSupport"]),
        .testTarget(
            name: "LogEngineTests",
            dependencies: ["CrashCampaigns", "LogEngine", "LogFormat", "LogStorage", "TestSupport"]
        ),
        .testTarget(
            name: "WALStoreTests",
            dependencies: ["WALStore", "LogEngine", "LogFormat", "LogStorage", "TestSupport"]
        ),
        .testTarget(
            name: "LogInspectionTests",
            dependencies: ["LogInspection", "LogFormat", "LogStorage", "TestSupport"]
        ),
        .testTarget(
            name: "CrashRecoveryTests",
            dependencies: [
                "crashlab", "CrashCampaigns", "ProcessCampaigns", "WALStore", "LogEngine", "LogFormat",
                "LogStorage",
                "TestSupport",
            ]
        ),
        // Reads the pages and doc comments, and the modules that the build has made of the products.
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["LogStorage", "TestSupport", "WALStore", "WALStoreTesting"]
        ),
        .testTarget(
            name: "LogMaintenanceTests",
            dependencies: [
                "walstore", "crashlab", "CrashCampaigns", "LogMaintenance", "LogInspection", "LogEngine",
                "LogFormat",
                "LogStorage", "TestSupport",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    // Optimizing the tests' own code would take longer than running it. What they test is optimized, campaigns included.
    if target.type == .test {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
}

// The fuzzer, for Tools/fuzz alone: it has to be linked with libFuzzer, which ordinary builds do without.
if Context.environment["WALSTORE_FUZZ"] != nil {
    for target in package.targets where ["LogFormat", "LogEngine", "LogInspection"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-sanitize=fuzzer"]))
    }
    package.targets.append(
        .executableTarget(
            name: "fuzzer",
            dependencies: ["CrashCampaigns"],
            path: "Tools/fuzzer",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]
        )
    )
}
