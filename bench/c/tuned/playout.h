/* The loop over the games that play_game of the including file plays: one after another, ply by ply, as Ludus does.

All else is as fast as we know how to write it by hand: constants, tables, moves kept as single bits. */

void play_games(uint64_t key, int64_t start, int64_t size, Tally *tally)
{
    int64_t first_wins = 0, second_wins = 0, plies = 0, total_score = 0;
    uint64_t upcoming = stream_start(key, start);
    for (int64_t index = start; index < start + size; index++) {
        uint64_t stream = upcoming;
        upcoming = stream_start(key, index + 1); /* early, so that it does not wait for the end of this game */
        int64_t score = play_game(stream, &plies);
        first_wins += score > 0;
        second_wins += score < 0;
        total_score += score;
    }
    *tally = (Tally){first_wins, second_wins, size - first_wins - second_wins, plies, total_score};
}
