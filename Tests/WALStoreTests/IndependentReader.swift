/// A reader of the format that shares nothing with the project: run by python3 with the path of a log, it
/// ends with 0 and prints counts, or names the first line that is wrong and ends with 1.
let independentReader = #"""
    import json, sys

    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0x82F63B78 if crc & 1 else crc >> 1
        table.append(crc)

    def crc32c(data):
        crc = 0xFFFFFFFF
        for byte in data:
            crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
        return crc ^ 0xFFFFFFFF

    def fail(number, reason):
        print("line %d: %s" % (number, reason))
        sys.exit(1)

    assert crc32c(b"123456789") == 0xE3069283
    data = open(sys.argv[1], "rb").read()
    if not data.endswith(b"\n"): fail(0, "the file does not end with a line feed")
    lines = data.split(b"\n")[:-1]
    expected, said, at, batch = None, None, None, False
    records = batches = deletes = marks = 0
    state = {}
    for number, line in enumerate(lines, 1):
        if not line: continue
        if line[:8] != b'{"crc":"' or line[16:18] != b'",': fail(number, "no frame")
        if line[8:16].decode() != "%08x" % crc32c(line[18:]): fail(number, "wrong checksum")
        try: members = json.loads(line.decode("utf-8"))
        except ValueError as error: fail(number, "no JSON: %s" % error)
        if at is not None and members["at"] < at: fail(number, "the time falls")
        at = members["at"]
        if expected is None:
            if list(members) != ["crc", "format", "kind", "store", "generation", "firstSeq", "at"]: fail(number, "no header")
            expected, said = members["firstSeq"], members["firstSeq"] - 1
            continue
        if members["seq"] != expected: fail(number, "number %d, not %d" % (members["seq"], expected))
        if "synced" in members:
            if members["synced"] >= members["seq"]: fail(number, "synced is not below seq")
            if members["synced"] <= said and members["op"] != "mark": fail(number, "synced does not rise")
            if members["synced"] < said: fail(number, "synced falls")
            said = members["synced"]
        if "more" in members and not batch: batches += 1
        batch = "more" in members
        order = ["crc", "seq", "at", "synced", "more", "op", "schema", "id", "value"]
        if [name for name in order if name in members] != list(members): fail(number, "the order of the members")
        if members["op"] == "put": state[members["id"]] = members["value"]
        elif members["op"] == "delete":
            deletes += 1
            if state.pop(members["id"], None) is None: fail(number, "deletes what is not there")
        elif members["op"] == "mark": marks += 1
        else: fail(number, "op")
        expected += 1
        records += 1
    if batch: fail(len(lines), "the file ends inside a batch")
    print(json.dumps({"records": records, "batches": batches, "deletes": deletes, "marks": marks, "said": said,
        "live": sorted(state)}))
    """#
