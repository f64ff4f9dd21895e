/** Runs that this browser started: they are collected here, those of others never. */

const MOST = 500;

function read(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem("runs") ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function remember(daemon: string, run: string): void {
  localStorage.setItem("runs", JSON.stringify([...read(), `${daemon} ${run}`].slice(-MOST)));
}

export function isOwn(daemon: string, run: string): boolean {
  return read().includes(`${daemon} ${run}`);
}

export function forget(daemon: string, run: string): void {
  localStorage.setItem("runs", JSON.stringify(read().filter((one) => one !== `${daemon} ${run}`)));
}

/** Returns a run_id that says what it is of; unique without asking anybody. */
export function newRunId(name: string): string {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, "0");
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  return `${name.slice(0, 120)} ${time} ${crypto.randomUUID().slice(0, 6)}`;
}
