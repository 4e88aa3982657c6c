"""Odd values for the arguments of commands, by kind; paths are relative to the folder of a case, and stay below it."""

WORDS = [
    "", " ", "\t", "\n", "a\nb", "\r", "\x1b[31mred\x1b[0m", "\a", "\x7f", "\x85", "\u2028", "\u202e", "\ufeff", "é",
    "\u65e5\u672c", "\U0001f438", "\udcff", "\udc80abc", "a" * 300, "a" * 2000, "x" * 100_000, "(" * 5000, "-", "--",
    "-1", "--json", "--help", "-x", "--no-such", "[red]", "[/]", "[bold", "[link=x]y[/link]", "%s%n", "%(x)s", "{0}",
    "{", "}", "{}", "$x", "'", '"', "\\", "$(true)", "`true`", ";", "|", "&", "*", "?", "#", "@file", "=", ",", "a=b",
    "null", "None", "true", "no", "human", "self", "all", "first", "second",
]  # fmt: skip
NUMBERS = [
    "0", "-0", "-1", "+1", "00", "1", "2", "3", "7", "1.5", "-0.5", "1e3", "1e-300", "1e400", "-1e400", "nan", "inf",
    "-inf", "0x10", "1_000", "\uff11\uff12", "\u0663", "½", "9" * 5000, "64", "1000", "65536", "1000000", "2147483647",
    "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "1000000000000", "1" + "0" * 18, "1" + "0" * 30, "-9223372036854775809", "10:20", "0.1:0.9", "random:3",
]  # fmt: skip
PATHS = [
    "missing", "missing/deeper", "folder", "folder/new", "empty", "binary", "text.txt", "text.txt/below", "unreadable",
    "pipe", "loop", "dangling", "n" * 300, "d/" * 3000, ".", "./", "new.html", "new.json", "new.json.gz", "new.csv",
    "run", "table", "sweep", "games.jsonl", "solution", "run/run.json", "deep.json", "game.py", "%s", "[red]",
    "\x1b[31m", "\udcff",
]  # fmt: skip
FILES = [
    "./game.py", "game.py", "./game.py:Nim", "./game.py:Missing", "./game.py:", "./game.py(heap=2)",
    "./game.py(heap=99)", "./agent.py", "./learner.py", "./broken.py", "./syntax.py", "./endless.py", "./exit.py",
    "./empty.py", "./binary.py", "./folder.py", "./pipe.py", "./loop.py", "./missing.py", "text.txt", "folder/", "./",
    "run/", ".py", "a.py:b.py:c",
]  # fmt: skip
FORMS = [
    "{}(", "{})", "{}()", "{}(=)", "{}(x=1)", "{}(x)", "{}(,)", "{}((()))", "{} ", "{}(a=1)(b=2)", " {}", "{}\n", "{}x",
]  # fmt: skip
PLACES = [
    "", "local", "local=", "local=0", "local=-1", "local=1", "local=2", "local=1.5", "local=²", "local=" + "9" * 5000,
    "local=1000000", "local=local", "ray=", "ray=x", "ray=127.0.0.1:1", "ray=:1", "ray=[::1]:1",
    "ray=127.0.0.1:99999999999", "ray=127.0.0.1:" + "9" * 5000, "ray=a b:1", "ray=" + "x" * 300 + ":1", "moon", "LOCAL",
    "local =2",
]  # fmt: skip
PROGRAMS = [
    "cmd:", "cmd: ", "cmd:true", "cmd:false", "cmd:cat", "cmd:yes", "cmd:./missing", "cmd:folder", "cmd:binary",
    "cmd:'", "cmd:'a b'", "cmd:sh -c 'exit 3'", "cmd:sh -c 'kill -9 $$'", "cmd:sh -c 'echo []; sleep 9'",
    "cmd:unreadable", "cmd:\udcff", "cmd:pipe", "cmd:loop", "cmd:" + "x" * 5000, "cmd:sh bot.sh", "command:x",
]  # fmt: skip
PORTS = ["0", "-0", "00", "-1", "65536", "1000000000000", "1.5", "nan", "inf", "0x10", "", "http", "9" * 5000]
POSITIONS = ["T_F", "T__F", "_", "TTFF", "XX./OO./...", "XXX/OOO/...", "./././", "T" * 5000, "9,9,9", "T_F x"]
OPEN_SPIEL = [
    "open-spiel:", "open-spiel:tic_tac_toe", "open-spiel:nothing", "open-spiel:tic_tac_toe(", "open-spiel:kuhn_poker",
    "open-spiel:chess", "open-spiel: ", "open-spiel:[red]",
]  # fmt: skip
HOSTS = [
    "127.0.0.1", "::1", "localhost", "256.1.1.1", "no.such.host.invalid", "1.2.3.4", "a b", "[::1]", "\udcff",
    "x" * 300,
]  # fmt: skip
GRIDS = [
    "epsilon=", "=0.1", "epsilon=0.1,0.1", "epsilon=nan,2", "games=1,2", "no=1,2", "alpha=1/n,0.5", "opponent=a,b",
    "seed=0,1", "epsilon=0.1,0.2,0.3", "eval_games=1000000000000,2",
]  # fmt: skip
LARGE = [
    "connect-four(width=50, height=50)", "toads-and-frogs(toads=1000000000)", "mancala(holes=9999)", "mancala",
    "fox-and-hounds(size=100)", "mancala(stones=1000000)", "toads-and-frogs(toads=9, gaps=9, frogs=9)", "connect-four",
]  # fmt: skip
