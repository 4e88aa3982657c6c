"""Write docs/images/boards/*.svg: a picture of every game, drawn by the game itself at a page of its tutorial.

`python tests/write_boards.py` writes them all anew.
"""

from conftest import EXAMPLES, TESTS

import ludus
from ludus import face
from ludus.catalog import GAMES

FOLDER = TESTS.parent / "docs" / "images" / "boards"
DRAWN = {name: name for name in GAMES.built_in} | {"breakthrough": str(EXAMPLES / "breakthrough.py")}  # by file


def picture(name):
    """The board of the third page of the tutorial, or of the last."""
    game = ludus.make_game(DRAWN[name])
    page = face.rules(game)[:3][-1]
    return face.draw(game, page.position).svg + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in DRAWN:
        (FOLDER / f"{name}.svg").write_text(picture(name))
