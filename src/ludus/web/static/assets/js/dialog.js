// A question in front of the page.
import { fresh, h } from "./dom.js";

// Opens a dialog with a form; answer(form) says what is wrong, or nothing to close it.
export function openDialog(title, content, { confirm = "OK", answer }) {
  const id = fresh("dialog");
  const problem = h("p.problem", { role: "alert" });
  const form = h("form.stack", { method: "dialog" }, h("h2", { id }, title), content, problem,
    h("div.row.end", {}, h("button.quiet", { type: "button", onclick: () => dialog.close() }, "Cancel"), h("button.primary", { type: "submit" }, confirm)));
  const dialog = h("dialog.card", { "aria-labelledby": id, onclose: () => dialog.remove() }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      await answer();
      dialog.close();
    } catch (error) {
      problem.textContent = error.message;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
