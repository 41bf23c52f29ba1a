// Keeps a PostgreSQL database equal to the daemon's store, each change once and in order, until it is killed.
//
//     PGHOST=… PGUSER=… PGDATABASE=… mirror DIRECTORY
//
// The database is found as psql finds it: by the variables PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE.
// Any engine that speaks PostgreSQL's protocol and has COPY and transactions will do.
import Foundation

signal(SIGPIPE, SIG_IGN)  // A psql that died is an error of the write, not the end of the mirror.

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: mirror DIRECTORY\n".utf8))
    exit(64)
}
await Mirror(directory: URL(filePath: CommandLine.arguments[1])).run()
