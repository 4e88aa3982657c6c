// Going through the mistakes of a game: in each position something better is to be found on the board.
// Returns how many were found, in words. onStep(number) hears which one is posed; whose(player) names who made it.
export async function review(exercise, mistakes, { whose, onStep, signal }) {
  let found = 0;
  for (const [number, mistake] of mistakes.entries()) {
    const view = await exercise.source.position(exercise.game.game, mistake.at, undefined, signal);
    onStep(number);
    const words = `${whose(mistake.player)} played ${mistake.name}, and ${mistake.words}. Find something better on the board.`;
    const next = number < mistakes.length - 1 ? "Next mistake" : "Done";
    if (await exercise.pose({ view, heading: `Move ${mistake.ply}`, words, next }, signal)) found += 1;
  }
  return `You found ${found} of ${mistakes.length}.`;
}
