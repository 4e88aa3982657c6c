/* The loop of playout.py, around the rules that the including file has given: Position, start, legal, play, score. */

void play_games(uint64_t key, int64_t begin, int64_t size, Tally *tally)
{
    int64_t first_wins = 0, second_wins = 0, ties = 0, plies = 0, total_score = 0;
    uint64_t upcoming = stream_start(key, begin);
    for (int64_t index = begin; index < begin + size; index++) {
        uint64_t stream = upcoming;
        upcoming = stream_start(key, index + 1); /* early, so that it does not wait for the end of this game */
        Position pos = start();
        uint64_t mask = legal(pos);
        do {
            pos = play(pos, lowest(random_bit(&stream, mask, popcount(mask))));
            mask = legal(pos);
            plies++;
        } while (mask);
        int64_t result = score(pos);
        total_score += result;
        first_wins += result > 0;
        second_wins += result < 0;
        ties += result == 0;
    }
    *tally = (Tally){first_wins, second_wins, ties, plies, total_score};
}
