import Foundation

exit(await runDemo(directory: CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : nil))
