#!/bin/sh
# Text of many kinds for terminals: colours, weights, lines under it, boxes, signs of several scripts. Then nothing moves.
printf '\033[?25l\033[2J\033[H'
for row in 0 1 2 3 4 5 6 7; do
    for column in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
        printf '\033[48;2;%d;%d;%dm\033[38;5;%dm%02x' $((row * 30)) $((column * 13)) 90 $((16 + row * 18 + column)) $((row * 18 + column))
    done
    printf '\033[0m\n'
done
printf '\033[1mbold \033[3mitalic\033[0m \033[4munder\033[0m \033[4:3m\033[58;5;196mcurled\033[0m \033[9mstruck\033[0m \033[7mreverse\033[0m \033[2mfaint\033[0m\n'
printf '┌──────┬──────┐ ╔═════╗ ▁▂▃▄▅▆▇█ ░▒▓ ⠁⠃⠇⠏⠟⠿\n│ left │ right│ ║ box ║ ◢◣◤◥ ╱╲╳\n└──────┴──────┘ ╚═════╝ ←↑→↓ ∑∏∫√∞≠≤\n'
printf 'Ελληνικά Кириллица עברית Français Straße naïve fi fl ffi != => -> www\n'
exec sleep 900
