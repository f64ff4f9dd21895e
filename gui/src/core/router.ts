/** Where one is: `#/page?name=value…`, so that every view has an address that can be sent. */

import {useEffect, useState} from "preact/hooks";

export interface Place {
  page: string;
  members: Record<string, string>;
}

export function place(hash = location.hash): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {page: path || "overview", members: Object.fromEntries(new URLSearchParams(query))};
}

export function href(page: string, members: Record<string, string | number | null | undefined> = {}): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== null && value !== "") found.set(name, String(value));
  }
  const query = found.toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

export function go(page: string, members: Record<string, string | number | null | undefined> = {}): void {
  location.hash = href(page, members);
}

/** Changes members of the address where one is, without a step in the history. */
export function amend(members: Record<string, string | number | null | undefined>): void {
  const here = place();
  history.replaceState(null, "", href(here.page, {...here.members, ...members}));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function usePlace(): Place {
  const [found, set] = useState(place());
  useEffect(() => {
    const changed = (): void => set(place());
    addEventListener("hashchange", changed);
    changed(); // it may have been another one since the first look
    return () => removeEventListener("hashchange", changed);
  }, []);
  return found;
}
