/** What every page knows: the session, and the daemon that is looked at. */

import {createContext} from "preact";
import {useContext} from "preact/hooks";
import type {Session} from "../core/api";

export interface Context {
  session: Session;
  daemon: string;
}

export const PageContext = createContext<Context | null>(null);

export function usePage(): Context & {mayRun: boolean; mayWrite: boolean} {
  const found = useContext(PageContext);
  if (!found) throw new Error("outside of a page");
  const {role, read_only: isReadOnly, workspace} = found.session;
  return {
    ...found,
    mayRun: !isReadOnly && role !== "viewer",
    mayWrite: !isReadOnly && role === "author" && workspace,
  };
}
