"""sb3-contrib's MaskablePPO learns a game of Ludus against one of its agents, and then shows how it does.

    pip install 'ludus[gymnasium]' sb3-contrib
    python examples/maskable_ppo.py tic-tac-toe smart-random 100000

Not part of the tests: sb3-contrib brings PyTorch along.
"""

import sys

from sb3_contrib import MaskablePPO

from ludus.adapters.gymnasium import LudusEnv

GAMES = 1000


def main(game: str = "tic-tac-toe", opponent: str = "random", steps: str = "50000") -> None:
    """Learn for so many steps in either seat, then play."""
    env = LudusEnv(game, opponent, seat="alternate")
    model = MaskablePPO("MlpPolicy", env, seed=0, verbose=1)
    model.learn(int(steps))
    won = [play(model, env) for _ in range(GAMES)]
    print(f"{GAMES} games against {opponent}: {won.count(1)} won, {won.count(0)} drawn, {won.count(-1)} lost")


def play(model: MaskablePPO, env: LudusEnv) -> float:
    """The result of one game."""
    seen, _ = env.reset()
    while True:
        action, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=True)
        seen, reward, ended, cut, _ = env.step(action)
        if ended or cut:
            return reward


if __name__ == "__main__":
    main(*sys.argv[1:])
