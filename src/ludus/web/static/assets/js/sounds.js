// Short sounds for moves and ends, if a person wants them; they are computed, so that nothing is loaded.
import { h } from "./dom.js";
import { recall, remember } from "./preferences.js";

const MOVE = [[330, 0, 0.07]];
const ENDS = { won: [[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.25]], lost: [[392, 0, 0.16], [311, 0.16, 0.3]], drawn: [[440, 0, 0.15], [440, 0.2, 0.2]] };

export const sounds = {
  context: null,

  get isOn() {
    return recall("sounds", { on: false }).on;
  },

  turn() {
    remember("sounds", { on: !this.isOn });
    this.move();
  },

  move() {
    this.play(MOVE);
  },

  // how: won, lost or drawn
  end(how) {
    this.play(ENDS[how]);
  },

  // notes: [frequency, when it begins, how long it lasts], in hertz and seconds
  play(notes) {
    if (!this.isOn) return;
    this.context ??= new AudioContext();
    for (const [frequency, begin, length] of notes) tone(this.context, frequency, this.context.currentTime + begin, length);
  },
};

// Turns the sounds on and off.
export function soundsButton() {
  const button = h("button.quiet.icon", { type: "button", "aria-label": "Sounds", title: "Sounds", "aria-pressed": String(sounds.isOn), onclick: () => {
    sounds.turn();
    button.setAttribute("aria-pressed", String(sounds.isOn));
  } }, "\u266a");
  return button;
}

function tone(context, frequency, at, length) {
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  oscillator.type = "triangle";
  oscillator.frequency.value = frequency;
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(0.15, at + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}
