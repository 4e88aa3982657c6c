// Games with friends on other devices: invite somebody, and come back to earlier games.
import { FormFields } from "../form_fields.js";
import { fresh, h, plural, replace, titled } from "../dom.js";
import { openDialog } from "../dialog.js";
import { link } from "../pages.js";
import { recall, remember } from "../preferences.js";

export async function show(place, query, source) {
  titled(place, "Friends");
  const [games, rooms] = await Promise.all([source.games(), source.rooms()]);
  place.className = "friends";
  const list = h("section.stack.wide", { "aria-labelledby": "rooms" });
  replace(
    place,
    h("div.intro.slim", {}, h("h1", {}, "Play a friend"), h("p", {}, "Two people, two devices, one game. Send a link, or let a phone read its code.")),
    h("div.play.wide-side", {}, invitation(games, query.get("game"), source), list),
  );
  drawRooms(list, rooms, games, source);
}

// The form that creates a room.
function invitation(games, wanted, source) {
  const ids = [fresh("game"), fresh("name")];
  const settings = recall("friends", { name: "", game: games[0].name });
  const select = h("select", { id: ids[0], onchange: () => choose() }, games.map((one) => h("option", { value: one.name, selected: one.name === (wanted ?? settings.game) }, one.title)));
  const name = h("input", { type: "text", id: ids[1], value: settings.name, maxlength: 40, autocomplete: "nickname", placeholder: "as your friend will see it" });
  const sides = h("div.field");
  const variant = h("details", {}, h("summary", {}, "Variant"));
  const problem = h("p.problem", { role: "alert" });
  let fields = null;
  let player = 0;
  const drawSides = () => {
    const side = (one, words) => h("button", { type: "button", "aria-pressed": String(player === one), onclick: () => { player = one; drawSides(); } }, words);
    replace(sides, h("span.label", {}, "You play"), h("div.segments", { role: "group", "aria-label": "You play" }, side(0, "First"), side(1, "Second")));
  };
  const choose = () => {
    const { parameters, presets } = games.find((one) => one.name === select.value);
    fields = new FormFields(parameters);
    variant.hidden = !parameters.length;
    replace(variant, h("summary", {}, "Variant"), fields.presets(presets), h("div.fields", {}, fields.elements()));
  };
  const create = async (event) => {
    event.preventDefault();
    problem.textContent = "";
    remember("friends", { name: name.value.trim(), game: select.value });
    try {
      const { key } = await source.createRoom({ game: fields.variant(select.value), player, name: name.value.trim() });
      location.hash = link("/friend", { key });
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  drawSides();
  choose();
  return h("form.card.panel", { onsubmit: create }, h("h2", {}, "Invite somebody"),
    h("div.field", {}, h("label.label", { for: ids[0] }, "Game"), select), variant, sides,
    h("div.field", {}, h("label.label", { for: ids[1] }, "Your name"), name), problem,
    h("div.row", {}, h("button.primary", { type: "submit" }, "Create an invitation")));
}

function drawRooms(place, rooms, games, source) {
  const remove = (room) => openDialog("Delete this game?", h("p", {}, "Both of you lose it."), {
    confirm: "Delete",
    answer: async () => {
      await source.removeRoom(room.id);
      drawRooms(place, rooms.filter((one) => one !== room), games, source);
    },
  });
  const row = (room) => {
    const title = games.find((one) => one.name === room.game.split("(")[0])?.title ?? room.game;
    return h("li.card.room", {},
      h("a.room-link", { href: link("/friend", { key: room.key }) }, h("strong", {}, title), h("span", {}, room.friend ? `with ${room.friend}` : "nobody has joined yet"),
        h("span.muted", {}, room.result || plural(room.plies, "move"))),
      h("button.quiet", { type: "button", "aria-label": `Delete ${title}`, onclick: () => remove(room) }, "Delete"));
  };
  replace(place, h("h2", { id: "rooms" }, "Your games"), rooms.length ? h("ul.rooms", {}, rooms.map(row)) : h("p.muted", {}, "No games yet. Create an invitation."));
}
