import Foundation
import Messages
import WALStore

/// The tables of the mirror, and the two transactions that change them.
///
/// Values and ids go through `COPY`, so nothing in them is ever read as SQL.
struct MessageDatabase: Sendable {
    private let psql: PSQL

    /// Connects, and makes the tables where they are missing.
    init() async throws {
        psql = try PSQL()
        _ = try await psql.run(
            """
            SET client_min_messages = warning;
            BEGIN;
            -- The state. The id is JSON text: as such any string can be an id here, one with a NUL too.
            CREATE TABLE IF NOT EXISTS message (id text COLLATE "C" PRIMARY KEY, value json NOT NULL);
            -- Every change once, for those who follow from here; a row without an id is a new beginning.
            CREATE TABLE IF NOT EXISTS message_change
                (number bigint PRIMARY KEY, id text COLLATE "C", value json);
            CREATE TABLE IF NOT EXISTS message_cursor
                (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), number bigint NOT NULL);
            INSERT INTO message_cursor (number) VALUES (0) ON CONFLICT DO NOTHING;
            COMMIT;

            """
        )
    }

    /// The number of the last change that the tables hold.
    func cursor() async throws -> UInt64 {
        let lines = try await psql.run("SELECT number FROM message_cursor;\n")
        guard let number = lines.first.flatMap({ UInt64($0) }) else {
            throw DatabaseError("The cursor cannot be read: \(lines)")
        }
        return number
    }

    /// Applies changes to the state behind the cursor; returns where the cursor is then.
    func apply(_ changes: [Change<Message>], after cursor: UInt64) async throws -> UInt64 {
        guard let number = changes.last?.sequenceNumber else { return cursor }
        let rows = try changes.map { change in
            [
                "\(change.sequenceNumber)", try change.id.map(Self.key),
                try change.new.map { try Self.json($0) },
            ]
        }
        let arrived = "message_change WHERE number > \(cursor) AND id IS NOT NULL"
        _ = try await psql.run(
            """
            BEGIN;
            \(Self.move(from: cursor, to: number))
            \(PSQL.copy(rows, to: "message_change (number, id, value)"))
            DELETE FROM message WHERE id IN (SELECT id FROM \(arrived));
            INSERT INTO message SELECT id, value
                FROM (SELECT DISTINCT ON (id) id, value FROM \(arrived) ORDER BY id, number DESC) AS newest
                WHERE value IS NOT NULL;
            COMMIT;

            """
        )
        return number
    }

    /// Makes the state anew, as it is after the change with this number.
    func replaceAll(with messages: [Message], number: UInt64, after cursor: UInt64) async throws {
        let rows = try messages.map { [try Self.key($0.id), try Self.json($0)] }
        _ = try await psql.run(
            """
            BEGIN;
            \(Self.move(from: cursor, to: number))
            DELETE FROM message_change WHERE number >= \(number);
            INSERT INTO message_change (number) VALUES (\(number));
            DELETE FROM message;
            \(PSQL.copy(rows, to: "message (id, value)"))
            COMMIT;

            """
        )
    }

    /// Moves the cursor, or fails when it is not where it was: then someone else has applied changes, such
    /// as the psql of a mirror that was killed, which had all of its transaction in the pipe.
    private static func move(from old: UInt64, to new: UInt64) -> String {
        """
        DO $$ BEGIN
            UPDATE message_cursor SET number = \(new) WHERE number = \(old);
            IF NOT FOUND THEN RAISE EXCEPTION 'the cursor is not at \(old)'; END IF;
        END $$;
        """
    }

    /// One spelling for all ids that are equal in Swift.
    private static func key(_ id: String) throws -> String {
        try json(id.precomposedStringWithCanonicalMapping)
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
