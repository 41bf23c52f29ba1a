/// Text that means something to SQL, to psql, to COPY, to JSON, or to Unicode.
enum HostileText {
    static let all = [
        "", "'", "\"", "\\", "\\.", "\n\\.\n", "\\N", "\t", "\r\n", "a\tb\nc", "\u{0}", "a\u{0}b", "\u{1F}",
        "'; DROP TABLE message; --", "$$; ROLLBACK; $$", ":number", ":'id'", "\\echo hi", "\\q", "COMMIT;",
        "{\"crc\":\"00000000\",", "\u{2028}\u{85}", "e\u{301}", "\u{1F9D1}\u{200D}\u{1F52C}", "\u{FFFE}",
        "%s",
        "null", "NULL", "\\u0000", "\\\\.", String(repeating: "long ", count: 400),
    ]

    static let ids = all + (0..<60).map { "message-\($0)" }
}
