"""The figures and numbers of docs/beyond.md: each game solved, learned by a table and graded.

python examples/beyond_figures.py docs/images
"""

import sys
import tempfile
from pathlib import Path

import ludus
from ludus.agents.agent import probabilities
from ludus.report.document import Curves, Series
from ludus.report.svg_figures import draw

HERE = Path(__file__).parent
# The score is the reward.
SETTINGS = {"epsilon": 0.3, "margin": True, "backward": True, "eval_against": "none", "grade": "no"}


def example(written):
    """One of the examples beside this file."""
    return ludus.make_game(f"{HERE}/{written}")


def learned(game, games):
    """The agent that a table makes in so many games; prints its guaranteed score beside the value."""
    truth = ludus.solve(game)
    with tempfile.TemporaryDirectory() as folder:
        run = ludus.train(game, "q-table", out=f"{folder}/run", games=games, **SETTINGS)
        agent = run.agent()
    graded = ludus.grade(agent, game, solution=truth)
    optimal = f"{graded.all.optimal:g} of {graded.all.decisions} decisions"
    score = f"{graded.guarantee.first.score:.4f} of {truth.value(game.start()).score:.4f}"
    print(f"{Path(type(game)._written).name}: {len(truth)} positions; {optimal} optimal, guaranteed {score}")
    return agent, truth


def chosen(agent, game, pos):
    """What an agent does in a position."""
    return int(probabilities(agent, game, pos).argmax())


def best(truth, pos):
    """The best action in a position; of equal ones the first."""
    scores = {action: value.score for action, value in truth.actions(pos).items()}
    return max(scores, key=lambda action: round(scores[action], 6))


def pig(games):
    """At how many points of the turn to hold, by the points that both have."""
    game = example("pig.py(target=30)")
    _, truth = learned(game, games)

    def hold_at(mine, theirs):
        pots = range(2, game.target - mine + 1)
        start = game.start()
        return next(pot for pot in pots if best(truth, start._replace(mine=mine, theirs=theirs, pot=pot)) == 1)

    own = range(0, game.target - 1, 2)
    curves = [Series(f"opponent has {n}", tuple(own), tuple(hold_at(mine, n) for mine in own)) for n in (0, 15, 25)]
    return Curves("beyond-pig", "When to hold", "own points", "hold at", curves, None, percent=False)


def american_put(games):
    """The highest price at which to exercise, by the date."""
    game = example("american_put.py")
    agent, truth = learned(game, games)

    def boundary(choice):
        """The highest price, among those that can be, at which the option is exercised; None where it never is."""
        found = {}
        for date in range(game.dates):
            for ups in range(date + 1):
                if choice(game.start()._replace(date=date, ups=ups)) == 1:
                    found[date] = game.price * (1 + game.up / 100) ** ups * (1 - game.down / 100) ** (date - ups)
        return found

    both = {"exact": boundary(lambda pos: best(truth, pos)), "learned": boundary(lambda pos: chosen(agent, game, pos))}
    curves = [Series(name, tuple(found), tuple(found.values())) for name, found in both.items()]
    return Curves("beyond-put", "When to exercise", "date", "exercise at or below", curves, None, percent=False)


def portfolio(games):
    """What to hold in shares in the first period, by what is held before."""
    learned(example("portfolio.py"), games)
    curves = []
    for cost in (0, 1, 3):
        shares = range(0, 101, 5)
        held = []
        for part in shares:
            game = example(f"portfolio.py(shares={part}, cost={cost})")
            held.append(game.play(game.start(), best(ludus.solve(game), game.start())).shares)
        curves.append(Series(f"cost {cost} %", tuple(shares), tuple(held)))
    return Curves("beyond-portfolio", "What to hold", "% in shares before", "after", curves, None, percent=False)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for make, games in {american_put: 100_000, portfolio: 200_000, pig: 400_000}.items():
        figure = make(games)
        (folder / f"{figure.key}.svg").write_text(draw(figure) + "\n")
