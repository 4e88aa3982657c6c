"""What the pages need to read the same on the site as in the repository."""

import re
from typing import Any

_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
_CODE = re.compile(r"`[^`]+`")


def on_page_markdown(markdown: str, **_: Any) -> str:
    r"""Code in tables without the backslash before a bar, which MkDocs would show: {1\|0} becomes {1|0}."""

    def plain(code: re.Match[str]) -> str:
        return code.group().replace(r"\|", "|")

    return _ROW.sub(lambda row: _CODE.sub(plain, row.group()), markdown)
