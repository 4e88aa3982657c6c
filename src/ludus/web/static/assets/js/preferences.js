// Preferences, stored by the browser if it can.

export function recall(name, defaults) {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(`ludus-${name}`) ?? "{}") };
  } catch {
    return { ...defaults };
  }
}

export function remember(name, changes) {
  try {
    localStorage.setItem(`ludus-${name}`, JSON.stringify({ ...recall(name, {}), ...changes }));
  } catch {
    // it lasts as long as the page
  }
}
