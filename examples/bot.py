"""A whole outside agent: read a JSON line, answer a JSON line.

Try `ludus match tic-tac-toe 'cmd:python3 bot.py' random`.
"""

import json
import sys

for line in sys.stdin:
    legal = json.loads(line)["legal"]
    print(json.dumps({"action": legal[len(legal) // 2]}), flush=True)
