#!/bin/sh
# An outside agent in shell: always the last legal action. Try `ludus match tic-tac-toe cmd:./bot.sh random`.
while read -r line; do
    legal=${line#*\"legal\": [}
    legal=${legal%%]*}
    echo "{\"action\": ${legal##*, }}"
done
