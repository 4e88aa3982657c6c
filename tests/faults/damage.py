"""Ways to damage a file: blindly, or by its structure with checksums made anew."""

import gzip
import json
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as load_arrays

from ludus import documents
from ludus.database import Table
from ludus.learning.runs import files
from ludus.solving import opening_book, solution_file

# ---- blind damage ----


def damage(path: Path, draw: random.Random) -> None:
    """Change the bytes of a file, or put something else in its place."""
    draw.choice(DAMAGES)(path, draw)


def flip(path: Path, draw: random.Random) -> None:
    """Flip a few bits."""
    content = bytearray(path.read_bytes())
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def cut(path: Path, draw: random.Random) -> None:
    """Leave the beginning, or the end, of a file."""
    content = path.read_bytes()
    place = draw.randrange(len(content))
    path.write_bytes(draw.choice([content[:place], content[place:]]))


def overwrite(path: Path, draw: random.Random) -> None:
    """Put zeros, or other parts of it, into a file."""
    content = bytearray(path.read_bytes())
    size = draw.randrange(1, min(len(content), 4096) + 1)
    begin, other = (draw.randrange(len(content) - size + 1) for _ in range(2))
    content[begin : begin + size] = draw.choice([bytes(size), content[other : other + size]])
    path.write_bytes(content)


def change_letter(path: Path, draw: random.Random) -> None:
    """Make a digit, or a letter, another one."""
    content = bytearray(path.read_bytes())
    places = [place for place, letter in enumerate(content) if chr(letter).isalnum() and letter < 128]
    if places:
        content[draw.choice(places)] = ord(draw.choice("0123456789ntfae"))
    path.write_bytes(content)


def move_line(path: Path, draw: random.Random) -> None:
    """Remove, double or swap lines."""
    lines = path.read_bytes().splitlines(keepends=True)
    first, second = (draw.randrange(len(lines)) for _ in range(2)) if lines else (0, 0)
    match draw.choice(["remove", "double", "swap"]):
        case "remove":
            del lines[first : first + 1]
        case "double":
            lines[first:first] = lines[second : second + 1]
        case "swap" if lines:
            lines[first], lines[second] = lines[second], lines[first]
    path.write_bytes(b"".join(lines))


def replace(path: Path, draw: random.Random) -> None:
    """Put something else in its place."""
    path.unlink()
    draw.choice(REPLACEMENTS)(path)


def sparse(path: Path) -> None:
    """A file that is longer than it takes on disk."""
    path.touch()
    os.truncate(path, 190_000_000)


def bomb(path: Path) -> None:
    """A file that unpacks to a thousand times its size."""
    path.write_bytes(gzip.compress(bytes(20_000_000)) * 400)


REPLACEMENTS: tuple[Callable[[Path], Any], ...] = (
    lambda path: None,
    lambda path: path.touch(),
    lambda path: path.write_text("Lorem ipsum\n" * 50),
    lambda path: path.write_text("[" * 100_000),
    lambda path: path.write_text('{"a":' * 100_000),
    lambda path: path.write_bytes(bytes(range(256)) * 20),
    lambda path: path.mkdir(),
    os.mkfifo,
    lambda path: path.symlink_to(path.name),
    sparse,
    bomb,
)
DAMAGES = (flip, flip, flip, cut, overwrite, change_letter, change_letter, move_line, replace)


# ---- damage to the structure, with checksums made anew ----

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 1.5, -0.5, 1e300, 10**30, -(10**30), 1 << 62, 1 << 63, "", "x", "0", "-1",
    "true", "9" * 400, [], {}, [[]], [0], {"a": 1}, "../../x", "/", "random", "cmd:true", "nan", float("nan"),
    float("inf"),
)  # fmt: skip


def changed(value: Any, draw: random.Random) -> Any:
    """A JSON value with a change somewhere in it."""
    inner = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not inner or draw.random() < 0.15:
        return near(value, draw)
    value = value.copy()
    key = draw.choice(inner)
    how = draw.random()
    if how < 0.12:
        del value[key]
    elif how < 0.2 and isinstance(value, dict):
        value[draw.choice(["x", "", f"{key}x"])] = value.pop(key)
    elif how < 0.25 and isinstance(value, list):
        value.insert(key, value[key])
    else:
        value[key] = changed(value[key], draw)
    return value


def near(value: Any, draw: random.Random) -> Any:
    """Another value, perhaps a near one."""
    if type(value) is int and draw.random() < 0.5:
        return value + draw.choice([-1, 1, 100, -100])
    if isinstance(value, str) and value and draw.random() < 0.5:
        place = draw.randrange(len(value))
        return value[:place] + draw.choice("0123456789,;()=x. ") + value[place + 1 :]
    return draw.choice(ODD)


def reseal_document(path: Path, draw: random.Random) -> None:
    """Change a JSON document."""
    document = json.loads(path.read_text())
    document.pop("digest")
    document = changed(document, draw)
    if isinstance(document, dict):
        document["digest"] = documents.checksum(document)
    path.write_text(json.dumps(document))


def reseal_lines(path: Path, draw: random.Random) -> None:
    """Change a line of records."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    place = draw.randrange(len(lines))
    line = {key: value for key, value in lines[place].items() if key != "digest"}
    line = changed(line, draw)
    if isinstance(line, dict) and draw.random() < 0.7:
        line["digest"] = documents.checksum(line)
    lines[place] = line
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def reseal_json(path: Path, draw: random.Random) -> None:
    """Change a JSON file without a checksum, compressed or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        value = json.load(file)
    with opened(path, "wt") as file:
        json.dump(changed(value, draw), file)


def reseal_arrays(path: Path, draw: random.Random) -> None:
    """Change arrays, or what a file of arrays says of itself."""
    content = path.read_bytes()
    arrays = load_arrays(content)
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]["ludus"]
    notes = json.loads(json.loads(header)["notes"])
    if draw.random() < 0.3:
        notes = changed(notes, draw)
    else:
        change_array(arrays, draw)
    text = json.dumps(notes)
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    own = files._Header(text, documents.digest(text.encode()), files._arrays_digest(whole, text))
    path.write_bytes(files.save(whole, {"ludus": json.dumps(own._asdict())}))


def change_array(arrays: dict[str, Any], draw: random.Random) -> None:
    """Drop, rename, retype, reshape or fill one of some arrays."""
    name = draw.choice(sorted(arrays))
    array = arrays.pop(name)
    kinds = [np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_, np.uint64]
    made: dict[str, Callable[[], dict[str, Any]]] = {
        "drop": dict,
        "rename": lambda: {f"{name}x": array},
        "retype": lambda: {name: array.astype(draw.choice(kinds))},
        "reshape": lambda: {name: draw.choice([array.ravel(), array[None], array.T, array.ravel()[:0]])},
        "add": lambda: {name: array, "extra": np.zeros(3)},
        "double": lambda: {name: np.concatenate([array, array])},
        "shorten": lambda: {name: array[:-1]},
    }
    with np.errstate(all="ignore"):
        arrays |= made[draw.choice(sorted(made))]() if draw.random() < 0.6 else {name: filled(array, draw)}


def filled(array: Any, draw: random.Random) -> Any:
    """An array with odd numbers in some places, or in all."""
    array = array.copy()
    places = (
        range(array.size) if draw.random() < 0.2 else [draw.randrange(array.size) for _ in range(min(2, array.size))]
    )
    for place in places:
        array.flat[place] = np.array(draw.choice(NUMBERS)).astype(array.dtype)
    return array


NUMBERS = (-1, 0, 1, 2, 3, 5, 100, -100, 1 << 31, 1 << 40, 1 << 62, -(1 << 62), 0.5, -0.5, 1e30, 1e300, np.nan, np.inf)


def reseal_solution_file(path: Path, draw: random.Random) -> None:
    """Change the header, the index or the blocks of a solution."""
    content = path.read_bytes()
    at = len(solution_file.MAGIC)
    length = int.from_bytes(content[at : at + 8], "little")
    text, rest = content[at + 24 : at + 24 + length], bytearray(content[at + 24 + length :])
    header = json.loads(text)
    if draw.random() < 0.6:
        header = changed(header, draw)
    else:  # the positions and values of the only block
        words = len({*np.array(header["masks"])}) and 1
        size = header["counts"]["positions"]
        entry = 8 * words + 16
        rest[draw.randrange(entry, len(rest))] = draw.randrange(256)
        rest[8 * words : entry] = solution_file._digest(bytes(rest[entry:]))
        header["index_digest"] = solution_file._digest(bytes(rest[:entry])).hex()
        assert size <= solution_file.BLOCK
    text = json.dumps(header).encode()
    path.write_bytes(solution_file.MAGIC + len(text).to_bytes(8, "little") + solution_file._digest(text) + text + rest)


def reseal_book(path: Path, draw: random.Random) -> None:
    """Change the header or the values of an opening book."""
    body = path.read_bytes()[len(opening_book.MAGIC) + len(opening_book.digest()) :]
    first, _, rest = body.partition(b"\n")
    if draw.random() < 0.6:
        first = json.dumps(changed(json.loads(first), draw)).encode()
    else:
        rest = bytearray(rest)
        rest[draw.randrange(len(rest))] = draw.randrange(256)
    parts = [first + b"\n", bytes(rest)]
    path.write_bytes(b"".join([opening_book.MAGIC, opening_book.digest(*parts), *parts]))


CELLS = (None, -1, 0, 7, 1 << 62, 1.5, "", "x", "0", b"\xff\xfe", "9" * 1000, "random", "../x")
STATEMENTS = (
    "create view more as select * from {table}",
    "create trigger t after insert on {table} begin delete from {table}; end",
    "create index i on {table} (digest)",
    "alter table {table} add column more text",
    "alter table {table} rename to other",
    "drop table {table}",
    "delete from {table}",
    "delete from {table} where rowid_ = 1",
    "pragma user_version = 99",
    "pragma user_version = 0",
    "pragma application_id = 7",
)


def reseal_database(path: Path, draw: random.Random) -> None:
    """Change cells, rows or tables of a database, perhaps with its checksums."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        found = [name for (name,) in file.execute("select name from sqlite_schema where type = 'table'")]
        table = draw.choice(found)
        if draw.random() < 0.3:
            with suppress(sqlite3.Error):
                file.execute(draw.choice(STATEMENTS).format(table=table))
            return
        columns = [row[1] for row in file.execute(f"pragma table_info({table})")]
        rows = file.execute(f"select * from {table}").fetchall()
        if not rows:
            return
        row, column = list(draw.choice(rows)), draw.randrange(len(columns))
        where = " and ".join(f"{name} is ?" for name in columns)
        before = list(row)
        row[column] = draw.choice(CELLS)
        if draw.random() < 0.6 and table != "sums":
            with suppress(TypeError):
                row[-1] = Table(table, (), 0).digest(row[:-1])
        with suppress(sqlite3.Error):
            file.execute("pragma writable_schema = on")  # and no more strict
            file.execute(
                "update sqlite_schema set sql = replace(sql, 'strict, ', '')" if draw.random() < 0.3 else "select 1"
            )
            file.execute(
                f"update {table} set ({', '.join(columns)}) = ({', '.join('?' * len(row))}) where {where}",
                [*row, *before],
            )
